package io.asynq4j.dashboard.internal.search;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.internal.text.Glob;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parsed query for tasks. Immutable.
 *
 * @param text query as the user wrote it
 * @param queues conditions on the queue name, which all must match
 * @param exactQueue the only queue of the query; null if it has none, or a pattern
 * @param states states of the query; all if it has none
 * @param namesState whether the query contains a state
 */
public record Query(
    String text,
    List<QueueTerm> queues,
    @Nullable String exactQueue,
    Set<TaskState> states,
    boolean namesState,
    TaskFilter filter) {

  /** A condition on the name of a queue. */
  record QueueTerm(Glob glob, boolean isNegated) {
    boolean matches(String queue) {
      return glob.matches(queue) != isNegated;
    }
  }

  boolean matchesQueue(String queue) {
    return queues.stream().allMatch(term -> term.matches(queue));
  }

  Query narrowedTo(Set<TaskState> others) {
    EnumSet<TaskState> both = EnumSet.noneOf(TaskState.class);
    both.addAll(states);
    both.retainAll(others);
    return new Query(text, queues, exactQueue, both, namesState, filter);
  }
}
