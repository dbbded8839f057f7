package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns many grouped tasks into one. Thread-safe. */
public interface Aggregation {

  Set<String> groups(QueueName queue);

  /** Puts the tasks of a group aside when the rules say that it is time. */
  Optional<AggregationSet> aggregate(QueueName queue, String group, GroupRules rules);

  /**
   * When a group is ready: it has {@code maxSize} tasks, or its oldest has waited for {@code
   * maxDelay}, or none came for the grace period.
   *
   * @param maxSize 0 = any number
   * @param maxDelay zero = any time
   * @param timeout how long an aggregator may take before its tasks go back to the group
   */
  record GroupRules(int maxSize, Duration maxDelay, Duration grace, Duration timeout) {

    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(2);

    public GroupRules {
      if (maxSize < 0) {
        throw new IllegalArgumentException("maxSize must not be negative: " + maxSize);
      }
      if (maxDelay.isNegative() || grace.isNegative()) {
        throw new IllegalArgumentException(
            "maxDelay and grace must not be negative: " + maxDelay + ", " + grace);
      }
      if (timeout.compareTo(Duration.ofSeconds(1)) < 0) {
        throw new IllegalArgumentException("timeout must be a second or more: " + timeout);
      }
    }
  }

  /** Tasks that were put aside together. */
  record AggregationSet(QueueName queue, String group, String setId, int size) {}

  /**
   * The tasks of a set, in the order in which they came. Those that nobody can read are archived.
   */
  SetContent read(AggregationSet set);

  /**
   * What is in a set.
   *
   * @param deadline until when the set is reserved; null when it has gone back to its group
   * @param unreadable ids of members that nobody can read; they have been archived
   */
  record SetContent(
      List<TaskMessage> messages, @Nullable Instant deadline, List<String> unreadable) {}

  /** Replaces the tasks of a set by the one made of them, or by none. */
  FinishAnswer finish(AggregationSet set, @Nullable NewTask aggregated);

  enum FinishAnswer {
    DONE,
    /** It took too long; the tasks have gone back to their group. */
    SET_LOST,
    ID_CONFLICT,
    DUPLICATE
  }

  /** Gives the tasks of a set back to their group. Returns how many. */
  int giveBack(AggregationSet set);

  /** Gives back the tasks of sets whose aggregator has taken too long. Returns how many. */
  int reclaimStale(QueueName queue);

  /** Deletes tasks that have become part of another one, up to a limit. Returns how many. */
  int sweep(QueueName queue, int limit);
}
