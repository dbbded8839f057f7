package io.asynq4j.dashboard.search;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.internal.text.Glob;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which tasks are wanted, over queues and states. Immutable.
 *
 * @param text as it was written
 * @param queues names that all must hold
 * @param exactQueue the one queue that it names; null when it names none, or a pattern
 * @param states all when it names none
 * @param namesState whether it names one
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
    boolean holds(String queue) {
      return glob.matches(queue) != isNegated;
    }
  }

  boolean wants(String queue) {
    return queues.stream().allMatch(term -> term.holds(queue));
  }

  boolean wants(TaskState state) {
    return states.contains(state);
  }

  Query narrowedTo(Set<TaskState> others) {
    EnumSet<TaskState> both = EnumSet.noneOf(TaskState.class);
    both.addAll(states);
    both.retainAll(others);
    return new Query(text, queues, exactQueue, both, namesState, filter);
  }
}
