package io.asynq4j.cli.task.option;

import io.asynq4j.inspect.TaskFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Filters that select tasks. */
public final class TaskFilterOptions {

  private static final Pattern AT_PATH = Pattern.compile("(?s)(\\$[.\\[].*?)(?:=(.*))?");

  @Option(
      names = {"-t", "--type"},
      paramLabel = "PATTERN",
      description = "Match the task type; '*' matches any characters, e.g. 'email:*'.")
  private @Nullable String type;

  @Option(
      names = "--id",
      paramLabel = "PREFIX",
      description = "Match tasks whose ID starts with PREFIX.")
  private @Nullable String id;

  @Option(
      names = "--error",
      paramLabel = "TEXT",
      description = "Match tasks whose last error contains TEXT (case-insensitive).")
  private @Nullable String error;

  @Option(
      names = "--payload",
      paramLabel = "TEXT",
      description = {
        "Match tasks whose payload contains TEXT (repeatable). TEXT can also",
        "be a JSON path that must exist, e.g. '$.user.mail', or a path and",
        "its value, e.g. '$.user.id=42'."
      })
  private List<String> payloads = List.of();

  @Option(
      names = "--header",
      paramLabel = "NAME[=VALUE]",
      description = "Match tasks that have this header (repeatable).")
  private List<String> headers = List.of();

  @Option(
      names = {"--older-than", "--older_than"},
      paramLabel = "AGE",
      description = "Match tasks that have been in their state for longer than AGE, e.g. 7d.")
  private @Nullable Duration olderThan;

  @Option(
      names = {"--younger-than", "--younger_than"},
      paramLabel = "AGE",
      description = "Match tasks that have been in their state for less than AGE, e.g. 1h.")
  private @Nullable Duration youngerThan;

  @Option(
      names = "--retried-at-least",
      paramLabel = "N",
      description = "Match tasks that have been retried at least N times.")
  private @Nullable Integer retriedAtLeast;

  @Option(
      names = "--retried-at-most",
      paramLabel = "N",
      description = "Match tasks that have been retried at most N times.")
  private @Nullable Integer retriedAtMost;

  public boolean isEmpty() {
    return all().isEmpty();
  }

  public TaskFilter filter() {
    return all().stream().reduce(TaskFilter.all(), TaskFilter::and);
  }

  private List<TaskFilter> all() {
    List<TaskFilter> all = new ArrayList<>();
    if (type != null) {
      all.add(TaskFilter.type(type));
    }
    if (id != null) {
      all.add(TaskFilter.idPrefix(id));
    }
    if (error != null) {
      all.add(TaskFilter.errorContains(error));
    }
    payloads.forEach(text -> all.add(payload(text)));
    headers.forEach(text -> all.add(header(text)));
    if (olderThan != null) {
      all.add(TaskFilter.olderThan(olderThan));
    }
    if (youngerThan != null) {
      all.add(TaskFilter.youngerThan(youngerThan));
    }
    if (retriedAtLeast != null) {
      all.add(TaskFilter.retriedAtLeast(retriedAtLeast));
    }
    if (retriedAtMost != null) {
      all.add(TaskFilter.retriedAtMost(retriedAtMost));
    }
    return all;
  }

  private static TaskFilter payload(String text) {
    Matcher atPath = AT_PATH.matcher(text);
    if (!atPath.matches()) {
      return TaskFilter.payloadContains(text);
    }
    return atPath.group(2) == null
        ? TaskFilter.payloadHas(atPath.group(1))
        : TaskFilter.payloadAt(atPath.group(1), atPath.group(2));
  }

  private static TaskFilter header(String text) {
    int equals = text.indexOf('=');
    return equals < 0
        ? TaskFilter.hasHeader(text)
        : TaskFilter.header(text.substring(0, equals), text.substring(equals + 1));
  }
}
