package io.asynq4j.cli.queue;

import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.RateLimit;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueLimits;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows or sets the concurrency and rate limits of a queue. */
@Command(
    name = "limit",
    description = {
      "Show or set the limits of a queue across all servers.",
      "Limits set here override the configuration of the servers immediately. Go servers ignore limits."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq queue limit mail                       # show the limits",
      "  asynq queue limit mail --max-active 10       # at most ten running tasks",
      "  asynq queue limit mail --ordered true        # one task at a time, in order",
      "  asynq queue limit mail --rate 100/s          # start at most 100 tasks per second",
      "  asynq queue limit mail --rate none           # no rate limit",
      "  asynq queue limit mail --clear               # use the limits of the servers"
    })
final class QueueLimitCommand extends RedisCommand {

  @Parameters(paramLabel = "QUEUE", description = "Name of the queue.")
  private String queue = "";

  @Option(
      names = "--max-active",
      paramLabel = "N",
      description =
          "Maximum number of tasks that run at the same time across all servers; 0 for no limit.")
  private @Nullable Integer maxActive;

  @Option(
      names = "--ordered",
      paramLabel = "BOOLEAN",
      arity = "1",
      description = "true to run one task at a time in enqueue order; false for no order.")
  private @Nullable Boolean ordered;

  @Option(
      names = "--rate",
      paramLabel = "RATE",
      description =
          "Maximum number of tasks to start per period, e.g. 100/s, 30/m or 5/10s; 'none' for no"
              + " limit.")
  private @Nullable String rate;

  @Option(
      names = "--burst",
      paramLabel = "N",
      description =
          "Maximum number of tasks to start at once after an idle period. Requires --rate. Default:"
              + " as many as the rate allows in 0.1s, at least 1.")
  private @Nullable Integer burst;

  @Option(
      names = "--clear",
      description = "Remove all limits set here, so that the limits of the servers apply.")
  private boolean clear;

  @Override
  protected void check() {
    if (clear && namesLimits()) {
      throw CliException.usage(
          "--clear cannot be combined with limits", "Remove --clear, or remove the limits.");
    }
    if (burst != null && rate == null) {
      throw CliException.usage("--burst needs --rate", "Add --rate, e.g. --rate 100/s.");
    }
    given();
  }

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    QueueLimits before = inspector.queue(queue).limits();
    // Limits of a mistyped queue name would never be noticed. Limits of a queue that does not
    // exist yet can still be shown and cleared.
    if (!inspector.queues().contains(queue) && (namesLimits() || before.equals(QueueLimits.NONE))) {
      throw new QueueNotFoundException(QueueName.of(queue));
    }
    QueueLimits limits = clear ? QueueLimits.NONE : before;
    if (maxActive != null) {
      limits = limits.withMaxActive(maxActive);
    }
    if (ordered != null) {
      limits = limits.withOrdered(ordered);
    }
    RateLimit given = given();
    if (given != null) {
      limits = limits.withRate(given);
    }
    if (sets()) {
      inspector.queue(queue).setLimits(limits);
    }
    session
        .printer()
        .results(
            List.of(limits),
            List.of(
                Column.of("Queue", "queue", any -> queue),
                Column.of("Limits", "limits", QueueLimitCommand::map)),
            set -> "Limits of queue %s: %s.".formatted(queue, words(set)));
    return ExitCode.DONE;
  }

  private boolean namesLimits() {
    return maxActive != null || ordered != null || rate != null;
  }

  private boolean sets() {
    return clear || namesLimits();
  }

  private @Nullable RateLimit given() {
    if (rate == null) {
      return null;
    }
    try {
      RateLimit parsed = RateLimit.parse(rate);
      return burst == null || parsed.isUnlimited() ? parsed : parsed.withBurst(burst);
    } catch (IllegalArgumentException e) {
      throw CliException.usage(
          String.valueOf(e.getMessage()), "Use a format such as --rate 100/s --burst 10.");
    }
  }

  @Override
  protected boolean isWatchable() {
    return !sets();
  }

  static Map<String, Object> map(QueueLimits limits) {
    Map<String, Object> map = new LinkedHashMap<>();
    limits.maxActive().ifPresent(most -> map.put("max_active", most));
    limits.ordered().ifPresent(flag -> map.put("ordered", flag));
    limits
        .rate()
        .ifPresent(
            set -> {
              map.put("rate", set.text());
              if (!set.isUnlimited()) {
                map.put("burst", set.burst());
              }
            });
    return map;
  }

  static String words(QueueLimits limits) {
    String most =
        limits.maxActive().isEmpty()
            ? ""
            : limits.maxActive().getAsInt() == 0
                ? "no concurrency limit"
                : "max " + limits.maxActive().getAsInt() + " active";
    String order =
        limits.ordered().map(flag -> flag ? "one at a time, in order" : "unordered").orElse("");
    String pace =
        limits
            .rate()
            .map(
                set ->
                    set.isUnlimited()
                        ? "no rate limit"
                        : set.text() + " (burst " + set.burst() + ")")
            .orElse("");
    String all =
        Stream.of(most, order, pace)
            .filter(words -> !words.isEmpty())
            .collect(Collectors.joining(", "));
    return all.isEmpty() ? "as configured on the servers" : all;
  }
}
