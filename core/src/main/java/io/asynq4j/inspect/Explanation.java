package io.asynq4j.inspect;

import io.asynq4j.TaskInfo;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Why a task does not run, as far as Redis knows. Immutable.
 *
 * @param task what is known of it
 * @param reasons the most important one first; empty when nothing holds it
 */
public record Explanation(TaskInfo task, List<Reason> reasons) {

  public Explanation {
    reasons = List.copyOf(reasons);
  }

  /** In words. */
  public String text() {
    return reasons.isEmpty()
        ? "Nothing in Redis holds it: a server takes it in a moment, unless a limit in the servers'"
            + " own configuration is reached."
        : reasons.stream().map(Reason::text).collect(Collectors.joining(" "));
  }
}
