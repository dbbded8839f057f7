package io.asynq4j.cli.task.option;

import io.asynq4j.TaskOptions;
import io.asynq4j.cli.command.CliException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of an enqueued task. */
public final class EnqueueOptions {

  @Option(
      names = {"--retry", "--max-retry"},
      paramLabel = "N",
      description = "Maximum number of retries. Default: 25.")
  private @Nullable Integer retry;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description = "Maximum duration of an attempt, e.g. 5m. Default: 30m.")
  private @Nullable Duration timeout;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      description =
          "Time after which the task is no longer run, e.g. 2030-01-31T08:00:00Z. Default: none.")
  private @Nullable Instant deadline;

  @Option(
      names = "--unique",
      paramLabel = "DURATION",
      description =
          "Reject tasks with the same type, payload and queue for this long, e.g. 1h. Default: off.")
  private @Nullable Duration unique;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ProcessTimeOptions when;

  @Option(
      names = "--precise",
      description = "Keep the milliseconds of --at and --in. Default: whole seconds.")
  private boolean precise;

  @Option(
      names = "--retention",
      paramLabel = "DURATION",
      description = "Time to keep the completed task and its result, e.g. 24h. Default: not kept.")
  private @Nullable Duration retention;

  @Option(
      names = {"-g", "--group"},
      paramLabel = "GROUP",
      description =
          "Group to add the task to. A server aggregates each group into one task. Default: none.")
  private @Nullable String group;

  @Option(
      names = {"-H", "--header"},
      paramLabel = "NAME=VALUE",
      description = "Header of the task (repeatable).")
  private List<String> headers = List.of();

  public @Nullable Duration retention() {
    return retention;
  }

  public @Nullable String group() {
    return group;
  }

  public TaskOptions.Builder applyTo(TaskOptions.Builder options) {
    when.requireAtMostOne();
    if (retry != null) {
      options.maxRetry(retry);
    }
    if (timeout != null) {
      options.timeout(timeout);
    }
    if (deadline != null) {
      options.deadline(deadline);
    }
    if (unique != null) {
      options.uniqueFor(unique);
    }
    if (when.at() != null) {
      options.processAt(when.at());
    }
    if (when.in() != null) {
      options.processIn(when.in());
    }
    if (precise) {
      options.precise();
    }
    if (retention != null) {
      options.retention(retention);
    }
    if (group != null) {
      options.group(group);
    }
    headers.forEach(header -> addHeader(options, header));
    return options;
  }

  private static void addHeader(TaskOptions.Builder options, String header) {
    int equals = header.indexOf('=');
    if (equals < 1) {
      throw CliException.usage(
          "Invalid header '" + header + "': expected NAME=VALUE",
          "Use a format such as tenant=acme.");
    }
    options.header(header.substring(0, equals), header.substring(equals + 1));
  }
}
