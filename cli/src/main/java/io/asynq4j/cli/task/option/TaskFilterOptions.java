package io.asynq4j.cli.task.option;

import io.asynq4j.inspect.TaskFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which tasks are meant. */
public final class TaskFilterOptions {

  private static final Pattern AT_PATH = Pattern.compile("(?s)(\\$[.\\[].*?)(?:=(.*))?");

  @Option(
      names = {"-t", "--type"},
      paramLabel = "GLOB",
      description = "Of this type; * stands for anything: 'email:*'.")
  private @Nullable String type;

  @Option(names = "--id", paramLabel = "PREFIX", description = "Whose id begins so.")
  private @Nullable String id;

  @Option(
      names = "--error",
      paramLabel = "TEXT",
      description = "Whose last error has this in it, in upper or lower case.")
  private @Nullable String error;

  @Option(
      names = "--payload",
      paramLabel = "TEXT",
      description = {
        "Whose payload has this in it; or at a place of its JSON: '$.user.id=42', '$.user.mail'."
      })
  private List<String> payloads = List.of();

  @Option(names = "--header", paramLabel = "NAME[=VALUE]", description = "Who have this header.")
  private List<String> headers = List.of();

  @Option(
      names = {"--older-than", "--older_than"},
      paramLabel = "DURATION",
      description = "In their state for longer than this, such as 7d.")
  private @Nullable Duration olderThan;

  @Option(
      names = {"--younger-than", "--younger_than"},
      paramLabel = "DURATION",
      description = "In their state for less than this.")
  private @Nullable Duration youngerThan;

  @Option(
      names = "--retried-at-least",
      paramLabel = "N",
      description = "Retried so often, or more.")
  private @Nullable Integer retriedAtLeast;

  @Option(names = "--retried-at-most", paramLabel = "N", description = "Retried so often, or less.")
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
