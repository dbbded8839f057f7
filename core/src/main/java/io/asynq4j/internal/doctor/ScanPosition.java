package io.asynq4j.internal.doctor;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * How far a visit has come: in the containers of queues, one queue after the other, or, after them,
 * in the keys of servers. Immutable.
 *
 * @param owner the queue, or the server
 * @param container of the queue; empty for keys
 * @param cursor where the next part begins; empty for the first
 */
public record ScanPosition(Step step, String owner, String container, String cursor) {

  public enum Step {
    CONTAINERS,
    KEYS
  }

  private static final String SEPARATOR = "\n";

  ScanPosition at(String newCursor) {
    return new ScanPosition(step, owner, container, newCursor);
  }

  /** Opaque to callers. */
  public String text() {
    String plain = String.join(SEPARATOR, step.name(), container, cursor, owner);
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(plain.getBytes(StandardCharsets.UTF_8));
  }

  public static @Nullable ScanPosition parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
      String[] parts = plain.split(SEPARATOR, 4);
      return new ScanPosition(Step.valueOf(parts[0]), parts[3], parts[1], parts[2]);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "not a place where a visit was stopped: \""
              + text
              + "\"; take it from Diagnosis.resumeFrom()",
          e);
    }
  }
}
