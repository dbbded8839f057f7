package io.asynq4j.cli.settings;

import java.util.List;
import java.util.Locale;

/** Connection settings and their names in the configuration file. */
enum ConnectionSetting {
  REDIS(String.class),
  URI(String.class),
  DB(Integer.class),
  USERNAME(String.class),
  PASSWORD(String.class),
  CLUSTER(Boolean.class),
  CLUSTER_ADDRS(String.class),
  TLS(Boolean.class),
  TLS_SERVER(String.class),
  INSECURE(Boolean.class);

  private final Class<?> kind;

  ConnectionSetting(Class<?> kind) {
    this.kind = kind;
  }

  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * @param where source of the value, for the error; the value itself may be a password
   */
  Object read(Object value, String where) {
    String text = String.valueOf(value).strip();
    if (kind == Integer.class) {
      if (!text.matches("\\d{1,9}")) {
        throw new IllegalArgumentException(where + " must be a number such as 0");
      }
      return Integer.valueOf(text);
    }
    if (kind == Boolean.class) {
      if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
        throw new IllegalArgumentException(where + " must be true or false");
      }
      return Boolean.valueOf(text);
    }
    if (value instanceof List<?> many) {
      return String.join(",", many.stream().map(String::valueOf).toList());
    }
    return text;
  }
}
