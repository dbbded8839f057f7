package io.asynq4j.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What Redis answers, taken for what it is known to be. */
final class Reply {

  private Reply() {}

  @SuppressWarnings("unchecked") // an array of the protocol arrives as a list of any values
  static List<@Nullable Object> list(@Nullable Object reply) {
    return reply == null ? List.of() : (List<@Nullable Object>) reply;
  }

  /** A number, whether it came as one or as digits; 0 for none. */
  static long number(@Nullable Object reply) {
    if (reply instanceof Long number) {
      return number;
    }
    String text = text(reply);
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  static int integer(@Nullable Object reply) {
    return Math.toIntExact(number(reply));
  }

  static String text(@Nullable Object reply) {
    return reply == null ? "" : new String((byte[]) reply, StandardCharsets.UTF_8);
  }

  static byte[] bytes(@Nullable Object reply) {
    return reply == null ? new byte[0] : (byte[]) reply;
  }
}
