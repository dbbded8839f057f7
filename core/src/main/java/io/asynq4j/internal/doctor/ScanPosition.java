package io.asynq4j.internal.doctor;

import io.asynq4j.internal.text.UrlSafeText;
import org.jspecify.annotations.Nullable;

/**
 * The position of a scan: in the containers of queues, queue by queue, and then in the keys of
 * servers. Immutable.
 *
 * @param owner the queue or the server
 * @param container of the queue; empty for keys
 * @param cursor start of the next part; empty for the first
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

  /** Returns the text form, which is opaque to callers. */
  public String text() {
    return UrlSafeText.encode(String.join(SEPARATOR, step.name(), container, cursor, owner));
  }

  public static @Nullable ScanPosition parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      String[] parts = UrlSafeText.decode(text).split(SEPARATOR, 4);
      return new ScanPosition(Step.valueOf(parts[0]), parts[3], parts[1], parts[2]);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "invalid scan position \"" + text + "\"; take it from Diagnosis.resumeFrom()", e);
    }
  }
}
