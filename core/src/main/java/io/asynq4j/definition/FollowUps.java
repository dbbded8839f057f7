package io.asynq4j.definition;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Names of tasks that are enqueued around the attempts of another, for those who keep track of it.
 * Immutable.
 *
 * @param before when an attempt begins
 * @param success when it has succeeded
 * @param failure when it has failed, whether it is tried again or not
 */
public record FollowUps(
    @Nullable String before, @Nullable String success, @Nullable String failure) {

  public static final FollowUps NONE = new FollowUps(null, null, null);

  public FollowUps {
    if (Stream.of(text(before), text(success), text(failure)).anyMatch(String::isBlank)) {
      throw new IllegalArgumentException("a follow-up needs the name of a task");
    }
  }

  private static String text(@Nullable String name) {
    return name == null ? "none" : name;
  }

  public boolean isNone() {
    return equals(NONE);
  }
}
