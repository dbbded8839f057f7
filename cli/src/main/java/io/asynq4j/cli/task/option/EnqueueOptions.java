package io.asynq4j.cli.task.option;

import io.asynq4j.TaskOptions;
import io.asynq4j.cli.command.CliException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a task is to be treated. */
public final class EnqueueOptions {

  @Option(
      names = {"--retry", "--max-retry"},
      paramLabel = "N",
      description = "How often it is tried again. Default: 25")
  private @Nullable Integer retry;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description = "How long an attempt may take. Default: 30m")
  private @Nullable Duration timeout;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      description = "When it is no longer worth running, like 2030-01-31T08:00:00Z.")
  private @Nullable Instant deadline;

  @Option(
      names = "--unique",
      paramLabel = "DURATION",
      description = "How long no equal task is taken in.")
  private @Nullable Duration unique;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ProcessTimeOptions when;

  @Option(names = "--precise", description = "Keep that time to the millisecond.")
  private boolean precise;

  @Option(
      names = "--retention",
      paramLabel = "DURATION",
      description = "How long it is kept after success.")
  private @Nullable Duration retention;

  @Option(
      names = {"-g", "--group"},
      paramLabel = "GROUP",
      description = "The group to wait in, to become one task with others.")
  private @Nullable String group;

  @Option(
      names = {"-H", "--header"},
      paramLabel = "NAME=VALUE",
      description = "A header; may be given more than once.")
  private List<String> headers = List.of();

  public TaskOptions.Builder applyTo(TaskOptions.Builder options) {
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
      throw CliException.usage("A header is NAME=VALUE, not " + header, null);
    }
    options.header(header.substring(0, equals), header.substring(equals + 1));
  }
}
