package io.asynq4j.internal.broker;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;
import static io.asynq4j.internal.codec.ArgumentValidator.requireNotNegative;

import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Combines grouped tasks into one. Thread-safe. */
public interface Aggregation {

  Set<String> groups(QueueName queue);

  /** Reserves the tasks of a group as a set if the rules allow it now. */
  Optional<AggregationSet> aggregate(QueueName queue, String group, GroupRules rules);

  /**
   * Conditions for aggregation: the group has {@code maxSize} tasks, or its oldest has waited for
   * {@code maxDelay}, or no task arrived during the grace period.
   *
   * @param maxSize 0 = any number
   * @param maxDelay zero = any time
   * @param timeout how long an aggregator may take before its tasks return to the group
   */
  record GroupRules(int maxSize, Duration maxDelay, Duration grace, Duration timeout) {

    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(2);

    public GroupRules {
      requireAtLeast(0, maxSize, "groups.maxSize");
      requireNotNegative(maxDelay, "groups.maxDelay");
      requireNotNegative(grace, "groups.grace");
      require(
          timeout.compareTo(Duration.ofSeconds(1)) >= 0,
          "groups.timeout must be 1 second or longer, got " + timeout);
    }
  }

  /** Tasks that were reserved together. */
  record AggregationSet(QueueName queue, String group, String setId, int size) {}

  /** Returns the tasks of a set in order of arrival. Unreadable tasks are archived. */
  SetContent read(AggregationSet set);

  /**
   * The content of a set.
   *
   * @param deadline until when the set is reserved; null if it has returned to its group
   */
  record SetContent(List<TaskMessage> messages, @Nullable Instant deadline) {}

  /** Replaces the tasks of a set by the aggregated task, or deletes them if it is null. */
  FinishAnswer finish(AggregationSet set, @Nullable NewTask aggregated);

  enum FinishAnswer {
    DONE,
    /** The aggregation took too long; the tasks have returned to their group. */
    SET_LOST,
    ID_CONFLICT,
    DUPLICATE
  }

  /** Returns the tasks of a set to their group. Returns their number. */
  int giveBack(AggregationSet set);

  /** Returns the tasks of sets whose aggregator timed out to their groups. Returns their number. */
  int reclaimStale(QueueName queue);

  /** Deletes tasks that have been aggregated, up to a limit. Returns their number. */
  int sweep(QueueName queue, int limit);
}
