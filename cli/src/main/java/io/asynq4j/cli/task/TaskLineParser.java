package io.asynq4j.cli.task;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.cli.command.OptionConverters;
import io.asynq4j.cli.output.JsonReader;
import io.asynq4j.cli.output.JsonWriter;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.internal.text.DurationFormat;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses a task from a line of JSON. Throws an {@code IllegalArgumentException} without the payload
 * if the line is invalid.
 */
final class TaskLineParser {

  private final Map<String, @Nullable Object> values;

  private TaskLineParser(Map<String, @Nullable Object> values) {
    this.values = values;
  }

  /**
   * @param type type of lines without one; null for none
   * @param defaults values of keys that lines omit
   */
  static EnqueueRequest read(String line, @Nullable String type, TaskOptions defaults) {
    if (!(JsonReader.read(line) instanceof Map<?, ?> object)) {
      throw new IllegalArgumentException("not a JSON object");
    }
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    object.forEach((key, value) -> values.put(String.valueOf(key), value));
    TaskLineParser read = new TaskLineParser(values);
    String ownType = read.text("type");
    Task task = Task.of(required(ownType != null ? ownType : type), read.payload());
    TaskOptions options = defaults.overriddenBy(read.options());
    if (!read.values.isEmpty()) {
      throw new IllegalArgumentException(
          "unknown key \"%s\"; run 'asynq task enqueue --help' for the keys"
              .formatted(read.values.keySet().iterator().next()));
    }
    return EnqueueRequest.of(task, options);
  }

  private static String required(@Nullable String type) {
    if (type == null) {
      throw new IllegalArgumentException("\"type\" is missing, and --type is not set");
    }
    return type;
  }

  private Payload payload() {
    String text = text("payload_text");
    String base64 = text("payload_base64");
    if (text != null) {
      return Payload.ofUtf8(text);
    }
    if (base64 != null) {
      return Payload.of(Base64.getDecoder().decode(base64));
    }
    return values.containsKey("payload")
        ? Payload.ofUtf8(JsonWriter.compact(values.remove("payload")))
        : Payload.absent();
  }

  private TaskOptions options() {
    TaskOptions.Builder options = TaskOptions.builder();
    String queue = text("queue");
    if (queue != null) {
      options.queue(queue);
    }
    String id = text("id");
    if (id != null) {
      options.id(id);
    }
    Object retry = values.remove("retry");
    if (retry != null) {
      if (!(retry instanceof BigDecimal number)) {
        throw new IllegalArgumentException("\"retry\" must be a number");
      }
      options.maxRetry(number.intValueExact());
    }
    String group = text("group");
    if (group != null) {
      options.group(group);
    }
    times(options);
    headers(options);
    return options.build();
  }

  private void times(TaskOptions.Builder options) {
    String timeout = text("timeout");
    if (timeout != null) {
      options.timeout(DurationFormat.parse(timeout));
    }
    String deadline = text("deadline");
    if (deadline != null) {
      options.deadline(OptionConverters.instant(deadline));
    }
    String unique = text("unique");
    if (unique != null) {
      options.uniqueFor(DurationFormat.parse(unique));
    }
    String processAt = text("process_at");
    if (processAt != null) {
      options.processAt(OptionConverters.instant(processAt));
    }
    String processIn = text("process_in");
    if (processIn != null) {
      options.processIn(DurationFormat.parse(processIn));
    }
    String retention = text("retention");
    if (retention != null) {
      options.retention(DurationFormat.parse(retention));
    }
  }

  private void headers(TaskOptions.Builder options) {
    Object headers = values.remove("headers");
    if (headers == null) {
      return;
    }
    if (!(headers instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("\"headers\" must be an object of strings");
    }
    map.forEach((name, value) -> options.header(String.valueOf(name), String.valueOf(value)));
  }

  private @Nullable String text(String key) {
    Object value = values.remove(key);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw new IllegalArgumentException("\"" + key + "\" must be a string");
  }
}
