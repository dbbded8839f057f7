package io.asynq4j.inspect;

import io.asynq4j.TaskInfo;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The reasons why a task does not run, as far as Redis shows them. Immutable.
 *
 * @param task the task
 * @param reasons the most important one first; empty if nothing in Redis delays it
 */
public record Explanation(TaskInfo task, List<Reason> reasons) {

  public Explanation {
    reasons = List.copyOf(reasons);
  }

  /** The reasons as sentences. */
  public String text() {
    return reasons.isEmpty()
        ? "Nothing in Redis delays it: a server will claim it soon, unless a limit in the"
            + " configuration of the servers is reached."
        : reasons.stream().map(Reason::text).collect(Collectors.joining(" "));
  }
}
