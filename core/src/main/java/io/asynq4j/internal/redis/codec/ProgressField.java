package io.asynq4j.internal.redis.codec;

import io.asynq4j.Progress;
import org.jspecify.annotations.Nullable;

/** Progress as it stands in a task's record: the percentage, a space, the note. */
public final class ProgressField {

  public static final String NAME = "progress";

  private ProgressField() {}

  public static String text(Progress progress) {
    return progress.percent() + " " + progress.note();
  }

  /** Null when there is none, or when it is none of ours: nothing depends on it. */
  static @Nullable Progress parse(String text) {
    int space = text.indexOf(' ');
    if (space < 0) {
      return null;
    }
    try {
      return new Progress(Integer.parseInt(text.substring(0, space)), text.substring(space + 1));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
