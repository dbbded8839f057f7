package io.asynq4j.internal.redis.codec;

import io.asynq4j.TaskInfo.FailedAttempt;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * The record field with the latest failures of a task. Each failure is prefixed with its length in
 * two bytes, as {@code with_failure} in the scripts builds it, and compressed, since stack traces
 * repeat and an archive may contain many of them.
 */
public final class FailuresField {

  public static final String NAME = "failures";

  private static final int LONGEST_ERROR = 500;
  private static final int LONGEST_TRACE = 4_000;

  /** Exceeds what the limits above allow; only another program can write more. */
  private static final int MOST_BYTES = 32_000;

  private static final char BREAK = '\0';

  private FailuresField() {}

  public static byte[] encode(FailedAttempt failure) {
    String text =
        Long.toString(failure.at().toEpochMilli())
            + BREAK
            + MessageCodec.errorText(shortened(failure.error(), LONGEST_ERROR)).replace(BREAK, ' ')
            + BREAK
            + shortened(failure.trace(), LONGEST_TRACE).replace(BREAK, ' ');
    Deflater deflater = new Deflater(Deflater.BEST_SPEED, /* nowrap= */ true);
    try {
      deflater.setInput(text.getBytes(StandardCharsets.UTF_8));
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[1_024];
      while (!deflater.finished()) {
        out.write(buffer, 0, deflater.deflate(buffer));
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }

  private static String shortened(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest) + "…";
  }

  /** Returns the failures, oldest first. Unreadable ones are left out. */
  public static List<FailedAttempt> decode(byte[] field) {
    List<FailedAttempt> failures = new ArrayList<>();
    ByteBuffer rest = ByteBuffer.wrap(field);
    while (rest.remaining() >= Short.BYTES) {
      int length = Short.toUnsignedInt(rest.getShort());
      if (length > rest.remaining()) {
        break;
      }
      add(failures, field, rest.position(), length);
      rest.position(rest.position() + length);
    }
    return failures;
  }

  private static void add(List<FailedAttempt> failures, byte[] field, int from, int length) {
    Inflater inflater = new Inflater(/* nowrap= */ true);
    try {
      inflater.setInput(field, from, length);
      byte[] bytes = new byte[MOST_BYTES];
      int size = inflater.inflate(bytes);
      String[] parts =
          new String(bytes, 0, size, StandardCharsets.UTF_8).split(String.valueOf(BREAK), 3);
      if (inflater.finished() && parts.length == 3) {
        failures.add(
            new FailedAttempt(Instant.ofEpochMilli(Long.parseLong(parts[0])), parts[1], parts[2]));
      }
    } catch (DataFormatException | NumberFormatException e) {
      // Another program wrote it; the remaining failures still count.
    } finally {
      inflater.end();
    }
  }
}
