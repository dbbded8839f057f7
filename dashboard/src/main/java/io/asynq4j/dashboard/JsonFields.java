package io.asynq4j.dashboard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A JSON object that is being put together, in order. Not thread-safe. */
final class JsonFields {

  private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

  JsonFields put(String name, @Nullable Object value) {
    values.put(name, value);
    return this;
  }

  JsonFields millis(String name, @Nullable Duration value) {
    return put(name, value == null ? null : value.toMillis());
  }

  JsonFields putAll(JsonFields others) {
    values.putAll(others.values);
    return this;
  }

  Map<String, @Nullable Object> map() {
    return values;
  }
}
