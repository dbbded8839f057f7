package io.asynq4j.spring.internal;

import io.asynq4j.TaskOptions;
import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.spring.ScheduledTask;
import io.asynq4j.spring.TaskHandler;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Reads the attributes of annotations: resolves placeholders, and checks each value by itself. */
final class OptionReader {

  private final ConfigurableListableBeanFactory factory;
  private final ProblemList problems;

  OptionReader(ConfigurableListableBeanFactory factory, ProblemList problems) {
    this.factory = factory;
    this.problems = problems;
  }

  /** Returns the text with its placeholders resolved; an empty one if that is not possible. */
  String text(String where, String attribute, String text) {
    if (text.isEmpty()) {
      return text;
    }
    String resolved = resolved(text);
    if (resolved == null || resolved.contains("${")) {
      problems.add(
          where,
          "%s = \"%s\" has a placeholder without a value: set the property, or write a default as ${name:default}"
              .formatted(attribute, text));
      return "";
    }
    return resolved.strip();
  }

  /** Returns the text, which must not be blank; an empty one after adding a problem. */
  String required(String where, String attribute, String text) {
    String given = text(where, attribute, text);
    if (given.isEmpty() && isBlank(text)) {
      problems.add(
          where,
          "%s = \"%s\" is blank: write a value, or set the property of the placeholder"
              .formatted(attribute, text));
    }
    return given;
  }

  private boolean isBlank(String text) {
    String resolved = resolved(text);
    return resolved != null && resolved.isBlank();
  }

  private @Nullable String resolved(String text) {
    try {
      return factory.resolveEmbeddedValue(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  TaskOptions options(String where, TaskHandler handler) {
    return options(
        where,
        handler.queue(),
        handler.maxRetry(),
        handler.timeout(),
        handler.uniqueFor(),
        handler.retention());
  }

  TaskOptions options(String where, ScheduledTask scheduled) {
    return options(
        where,
        scheduled.queue(),
        scheduled.maxRetry(),
        scheduled.timeout(),
        scheduled.uniqueFor(),
        scheduled.retention());
  }

  private TaskOptions options(
      String where,
      String queue,
      int maxRetry,
      String timeout,
      String uniqueFor,
      String retention) {
    TaskOptions.Builder options = TaskOptions.builder();
    String queueName = text(where, "queue", queue);
    set(where, "queue", queueName, () -> options.queue(queueName));
    if (maxRetry < -1) {
      problems.add(
          where, "maxRetry = %d is negative: set 0 or more, or omit it for 25".formatted(maxRetry));
    } else if (maxRetry >= 0) {
      options.maxRetry(maxRetry);
    }
    duration(where, "timeout", timeout, options::timeout);
    duration(where, "uniqueFor", uniqueFor, options::uniqueFor);
    duration(where, "retention", retention, options::retention);
    return options.build();
  }

  /** Sets a duration if the attribute is set, and the duration is one that tasks can have. */
  void duration(String where, String attribute, String value, Consumer<Duration> setter) {
    String text = text(where, attribute, value);
    set(where, attribute, text, () -> setter.accept(checked(attribute, text)));
  }

  private static Duration checked(String attribute, String text) {
    Duration duration = DurationFormat.parse(text);
    switch (attribute) {
      case "timeout" -> TaskOptions.of(o -> o.timeout(duration));
      case "uniqueFor" -> TaskOptions.of(o -> o.uniqueFor(duration));
      case "retention" -> TaskOptions.of(o -> o.retention(duration));
      default -> {}
    }
    return duration;
  }

  private void set(String where, String attribute, String value, Runnable setter) {
    if (value.isEmpty()) {
      return;
    }
    try {
      setter.run();
    } catch (IllegalArgumentException e) {
      problems.add(where, "%s = \"%s\": %s".formatted(attribute, value, e.getMessage()));
    }
  }
}
