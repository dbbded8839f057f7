package io.asynq4j.internal.redis.command;

import io.asynq4j.internal.time.TimeMath;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What Redis answers, taken for what it is known to be. */
public final class ReplyParser {

  private ReplyParser() {}

  @SuppressWarnings("unchecked") // an array of the protocol arrives as a list of any values
  public static List<@Nullable Object> list(@Nullable Object reply) {
    return reply == null ? List.of() : (List<@Nullable Object>) reply;
  }

  /** A number, whether it came as one or as digits; 0 for none. */
  public static long number(@Nullable Object reply) {
    if (reply instanceof Long number) {
      return number;
    }
    String text = text(reply);
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  /** A number of somebody else's making: a small one, else none counts. */
  public static int count(@Nullable Object reply) {
    double value = decimal(text(reply), 0);
    return value > 0 ? (int) Math.min(value, 1_000_000) : 0;
  }

  /** A score, as Redis writes it, or another number of somebody else's making. */
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

  /** The time that a score stands for. */
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
