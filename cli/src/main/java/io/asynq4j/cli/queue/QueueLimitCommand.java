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

/** Shows or sets how much of a queue runs at once, and how fast. */
@Command(
    name = "limit",
    description = {
      "Shows or sets limits of a queue over all servers.",
      "What is set here wins over the servers' configuration, at once; Go servers obey neither."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq queue limit mail                       # what is set",
      "  asynq queue limit mail --max-active 10       # ten at once over the fleet",
      "  asynq queue limit mail --ordered true        # one by one, in their order",
      "  asynq queue limit mail --rate 100/s          # so many begin in a second",
      "  asynq queue limit mail --rate none           # whatever rate the servers have",
      "  asynq queue limit mail --clear               # what the servers say"
    })
final class QueueLimitCommand extends RedisCommand {

  @Parameters(paramLabel = "QUEUE", description = "The name of a queue.")
  private String queue = "";

  @Option(
      names = "--max-active",
      paramLabel = "N",
      description = "How many may run at once; 0 for as many as there are workers.")
  private @Nullable Integer maxActive;

  @Option(
      names = "--ordered",
      paramLabel = "BOOLEAN",
      arity = "1",
      description = "Whether one runs at a time, first in, first out.")
  private @Nullable Boolean ordered;

  @Option(
      names = "--rate",
      paramLabel = "N/TIME",
      description =
          "How many begin in how long, such as 100/s, 30/m or 5/10s; none for any number.")
  private @Nullable String rate;

  @Option(
      names = "--burst",
      paramLabel = "N",
      description = "With --rate: how many begin at once after a quiet time.")
  private @Nullable Integer burst;

  @Option(names = "--clear", description = "Leave everything to the servers.")
  private boolean clear;

  @Override
  protected void check() {
    if (clear && namesLimits()) {
      throw CliException.usage("--clear sets no limits", "leave it out, or the limits");
    }
    if (burst != null && rate == null) {
      throw CliException.usage("--burst is part of a rate", "add --rate, such as --rate 100/s");
    }
    given();
  }

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    QueueLimits before = inspector.limits(queue);
    // A name that was mistyped would get limits that nobody ever sees; those of a queue that is
    // not there yet can be seen and taken back.
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
      inspector.setLimits(queue, limits);
    }
    session
        .printer()
        .told(
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
          String.valueOf(e.getMessage()), "for example --rate 100/s --burst 10");
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
                ? "as many at once as there are workers"
                : limits.maxActive().getAsInt() + " at once";
    String order =
        limits
            .ordered()
            .map(flag -> flag ? "one by one, in their order" : "in no order")
            .orElse("");
    String pace =
        limits
            .rate()
            .map(
                set ->
                    set.isUnlimited()
                        ? "at any rate"
                        : set.text() + " (" + set.burst() + " after a quiet time)")
            .orElse("");
    String all =
        Stream.of(most, order, pace)
            .filter(words -> !words.isEmpty())
            .collect(Collectors.joining(", "));
    return all.isEmpty() ? "what the servers say" : all;
  }
}
