package io.asynq4j;

import io.asynq4j.internal.codec.TextValidator;

/**
 * How far an attempt has come, as its handler has said. Immutable.
 *
 * @param percent 0 to 100
 * @param note a few words for whoever watches; may be empty
 */
public record Progress(int percent, String note) {

  /** The longest note, in chars: it is written again with every step. */
  public static final int LONGEST_NOTE = 1_000;

  public Progress {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException("percent must be 0 to 100: " + percent);
    }
    TextValidator.requireValidUnicode(note, "note");
    if (note.length() > LONGEST_NOTE) {
      throw new IllegalArgumentException(
          "a note of progress must not be longer than %,d chars: %,d"
              .formatted(LONGEST_NOTE, note.length()));
    }
  }
}
