package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.internal.inspect.JsonPath;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.internal.time.TimeMath;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A condition on tasks: {@code TaskFilter.type("email:*").and(TaskFilter.retriedAtLeast(3))}.
 * Filters run in this process, not in Redis. The filters of this class are thread-safe.
 */
@FunctionalInterface
public interface TaskFilter {

  /**
   * Returns whether a task matches.
   *
   * @param now the time of Redis
   */
  boolean matches(TaskInfo task, Instant now);

  /** Matches all tasks. */
  static TaskFilter all() {
    return (task, now) -> true;
  }

  /** Matches tasks for which this predicate returns true. */
  static TaskFilter of(Predicate<TaskInfo> predicate) {
    return (task, now) -> predicate.test(task);
  }

  /** Matches the task type; {@code *} matches any characters, as in {@code email:*}. */
  static TaskFilter type(String glob) {
    Glob pattern = Glob.of(glob);
    return (task, now) -> pattern.matches(task.type());
  }

  /** Matches tasks whose ID starts with this prefix. */
  static TaskFilter idPrefix(String prefix) {
    return (task, now) -> task.id().startsWith(prefix);
  }

  /** Matches tasks whose last error contains this text, ignoring case. */
  static TaskFilter errorContains(String text) {
    Pattern pattern =
        Pattern.compile(Pattern.quote(text), Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
    return (task, now) -> pattern.matcher(task.lastError()).find();
  }

  /** Matches tasks whose payload contains this text, as UTF-8. */
  static TaskFilter payloadContains(String text) {
    return (task, now) -> task.payload().utf8().contains(text);
  }

  /**
   * Matches tasks whose payload is JSON with this string, number or boolean at a path.
   *
   * @param path such as {@code $.user.mails[0]}
   */
  static TaskFilter payloadAt(String path, String value) {
    JsonPath parsed = JsonPath.parse(path);
    return (task, now) ->
        find(parsed, task.payload())
            .filter(found -> found.toString().equals(value) || isNumber(found, value))
            .isPresent();
  }

  private static boolean isNumber(Object found, String value) {
    try {
      return found instanceof Number
          && new BigDecimal(found.toString()).compareTo(new BigDecimal(value)) == 0;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** Matches tasks whose payload is JSON with a value other than null at a path. */
  static TaskFilter payloadHas(String path) {
    JsonPath parsed = JsonPath.parse(path);
    return (task, now) -> find(parsed, task.payload()).isPresent();
  }

  private static Optional<Object> find(JsonPath path, Payload payload) {
    try {
      return path.find(PayloadCodec.json().decode(payload, Object.class));
    } catch (PayloadException e) {
      return Optional.empty();
    }
  }

  /** Matches tasks that have this header with this value. */
  static TaskFilter header(String name, String value) {
    return (task, now) -> value.equals(task.headers().get(name));
  }

  /** Matches tasks that have this header. */
  static TaskFilter hasHeader(String name) {
    return (task, now) -> task.headers().containsKey(name);
  }

  /** Matches tasks that are known to have been in their state for longer than this. */
  static TaskFilter olderThan(Duration age) {
    return (task, now) -> task.since() != null && task.since().isBefore(TimeMath.minus(now, age));
  }

  /** Matches tasks that are known to have been in their state for less than this. */
  static TaskFilter youngerThan(Duration age) {
    return (task, now) -> task.since() != null && task.since().isAfter(TimeMath.minus(now, age));
  }

  static TaskFilter retriedAtLeast(int times) {
    return (task, now) -> task.retried() >= times;
  }

  static TaskFilter retriedAtMost(int times) {
    return (task, now) -> task.retried() <= times;
  }

  default TaskFilter and(TaskFilter other) {
    return (task, now) -> matches(task, now) && other.matches(task, now);
  }

  default TaskFilter or(TaskFilter other) {
    return (task, now) -> matches(task, now) || other.matches(task, now);
  }

  default TaskFilter negate() {
    return (task, now) -> !matches(task, now);
  }
}
