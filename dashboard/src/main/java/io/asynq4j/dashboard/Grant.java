package io.asynq4j.dashboard;

import io.asynq4j.internal.text.Glob;
import java.util.List;

/**
 * The permissions of a user: a role and the visible queues. Immutable.
 *
 * @param queues names or patterns such as {@code mail-*}; other queues do not exist for the user
 */
public record Grant(Role role, List<String> queues) {

  private static final List<String> ALL = List.of("*");

  public Grant {
    queues = List.copyOf(queues);
    if (queues.isEmpty()) {
      throw new IllegalArgumentException(
          "a grant needs at least one queue or pattern; use * for all queues");
    }
  }

  /** Creates a grant for all queues. */
  public static Grant of(Role role) {
    return new Grant(role, ALL);
  }

  public boolean seesAll() {
    return queues.contains("*");
  }

  public boolean sees(String queue) {
    return seesAll() || queues.stream().anyMatch(pattern -> Glob.of(pattern).matches(queue));
  }

  Grant asViewer() {
    return new Grant(Role.VIEWER, queues);
  }
}
