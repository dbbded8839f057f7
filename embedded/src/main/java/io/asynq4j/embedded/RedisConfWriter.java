package io.asynq4j.embedded;

import java.nio.charset.StandardCharsets;

/** The syntax of {@code redis.conf}. */
final class RedisConfWriter {

  private final StringBuilder text = new StringBuilder();

  RedisConfWriter line(String directive, String value) {
    text.append(directive).append(' ').append(value.isEmpty() ? "\"\"" : value).append('\n');
    return this;
  }

  RedisConfWriter quoted(String directive, String value) {
    return line(directive, quote(value));
  }

  static String quote(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
      if (b == '"' || b == '\\') {
        quoted.append('\\').append((char) b);
      } else if (b >= ' ' && b < 0x7f) {
        quoted.append((char) b);
      } else {
        quoted.append(String.format("\\x%02x", b & 0xff));
      }
    }
    return quoted.append('"').toString();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
