package io.asynq4j.dashboard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A JSON object that is being put together, in order. Not thread-safe. */
final class Fields {

  private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

  Fields put(String name, @Nullable Object value) {
    values.put(name, value);
    return this;
  }

  Fields millis(String name, @Nullable Duration value) {
    return put(name, value == null ? null : value.toMillis());
  }

  Fields putAll(Fields others) {
    values.putAll(others.values);
    return this;
  }

  Map<String, @Nullable Object> map() {
    return values;
  }
}
