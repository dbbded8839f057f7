package io.asynq4j.internal.redis.command;

import io.asynq4j.internal.time.TimeMath;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts Redis replies to the Java types that their commands return. */
public final class ReplyParser {

  private ReplyParser() {}

  @SuppressWarnings("unchecked") // a protocol array arrives as a list of objects
  public static List<@Nullable Object> list(@Nullable Object reply) {
    return reply == null ? List.of() : (List<@Nullable Object>) reply;
  }

  /** Returns the texts of a list. */
  public static List<String> texts(@Nullable Object reply) {
    return list(reply).stream().map(ReplyParser::text).toList();
  }

  /** Returns the names and values of a hash, in the order of the reply. */
  public static Map<String, String> map(@Nullable Object reply) {
    List<@Nullable Object> flat = list(reply);
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      map.put(text(flat.get(i)), text(flat.get(i + 1)));
    }
    return map;
  }

  /** Returns a number, from an integer or from digits; 0 for null. */
  public static long number(@Nullable Object reply) {
    if (reply instanceof Long number) {
      return number;
    }
    String text = text(reply);
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  /** Returns a number that another program may have written: a small one, otherwise 0. */
  public static int count(@Nullable Object reply) {
    double value = decimal(text(reply), 0);
    return value > 0 ? (int) Math.min(value, 1_000_000) : 0;
  }

  /**
   * Parses a score in the format of Redis, or another number that another program may have written.
   */
  public static double decimal(String text, double otherwise) {
    return switch (text) {
      case "inf", "+inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> {
        try {
          yield Double.parseDouble(text);
        } catch (NumberFormatException e) {
          yield otherwise;
        }
      }
    };
  }

  /** Returns the time that a score represents. */
  public static Instant second(String score) {
    return TimeMath.ofSeconds(decimal(score, 0));
  }

  public static int integer(@Nullable Object reply) {
    return Math.toIntExact(number(reply));
  }

  public static String text(@Nullable Object reply) {
    return reply == null ? "" : new String((byte[]) reply, StandardCharsets.UTF_8);
  }

  public static byte[] bytes(@Nullable Object reply) {
    return reply == null ? new byte[0] : (byte[]) reply;
  }
}
