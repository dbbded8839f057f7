package io.asynq4j.internal.redis.codec;

import io.asynq4j.TaskInfo.Progress;
import org.jspecify.annotations.Nullable;

/** Format of progress in a task's record: the percentage, a space, the note. */
public final class ProgressField {

  public static final String NAME = "progress";

  private ProgressField() {}

  public static String text(Progress progress) {
    return progress.percent() + " " + progress.note();
  }

  /** Returns null for absent progress and for text of another format: no logic depends on it. */
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
