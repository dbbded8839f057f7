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
 * Which tasks are wanted. Filters are evaluated here, not in Redis. Those of this class may be
 * shared between threads.
 */
@FunctionalInterface
public interface TaskFilter {

  /**
   * Whether it is wanted.
   *
   * @param now the time in Redis, for what is older or younger
   */
  boolean matches(TaskInfo task, Instant now);

  static TaskFilter all() {
    return (task, now) -> true;
  }

  /** Whatever this says. */
  static TaskFilter of(Predicate<TaskInfo> predicate) {
    return (task, now) -> predicate.test(task);
  }

  /** The type; {@code *} stands for any characters, as in {@code email:*}. */
  static TaskFilter type(String glob) {
    Glob pattern = Glob.of(glob);
    return (task, now) -> pattern.matches(task.type());
  }

  static TaskFilter idPrefix(String prefix) {
    return (task, now) -> task.id().startsWith(prefix);
  }

  /** The text of the last error has this in it, in upper or lower case. */
  static TaskFilter errorContains(String text) {
    Pattern pattern =
        Pattern.compile(Pattern.quote(text), Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
    return (task, now) -> pattern.matcher(task.lastError()).find();
  }

  /** The payload has this text in it, as UTF-8. */
  static TaskFilter payloadContains(String text) {
    return (task, now) -> task.payload().utf8().contains(text);
  }

  /**
   * The payload is JSON and has this value at a place: a text, a number, or {@code true} or {@code
   * false}. What is no JSON does not match.
   *
   * @param path such as {@code $.user.mails[0]}
   */
  static TaskFilter payloadAt(String path, String value) {
    JsonPath parsed = JsonPath.parse(path);
    Optional<BigDecimal> number = number(value);
    return (task, now) ->
        find(parsed, task.payload())
            .filter(found -> found.toString().equals(value) || isNumber(found, number))
            .isPresent();
  }

  private static boolean isNumber(Object found, Optional<BigDecimal> wanted) {
    return found instanceof Number
        && wanted.isPresent()
        && number(found.toString()).filter(other -> other.compareTo(wanted.get()) == 0).isPresent();
  }

  /** The payload is JSON and has something at a place that is not null. */
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

  private static Optional<BigDecimal> number(String text) {
    try {
      return Optional.of(new BigDecimal(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  static TaskFilter header(String name, String value) {
    return (task, now) -> value.equals(task.headers().get(name));
  }

  static TaskFilter hasHeader(String name) {
    return (task, now) -> task.headers().containsKey(name);
  }

  /** It has been in its state for longer than this; where that is not known, it does not match. */
  static TaskFilter olderThan(Duration age) {
    return (task, now) -> task.since() != null && task.since().isBefore(TimeMath.minus(now, age));
  }

  /** It has been in its state for less than this; where that is not known, it does not match. */
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
