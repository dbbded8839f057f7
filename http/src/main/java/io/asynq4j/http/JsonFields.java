package io.asynq4j.http;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builder of a JSON object that keeps the order of fields. Not thread-safe. */
public final class JsonFields {

  private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

  public JsonFields put(String name, @Nullable Object value) {
    values.put(name, value);
    return this;
  }

  public JsonFields millis(String name, @Nullable Duration value) {
    return put(name, value == null ? null : value.toMillis());
  }

  public JsonFields putAll(JsonFields others) {
    values.putAll(others.values);
    return this;
  }

  public Map<String, @Nullable Object> map() {
    return values;
  }
}
