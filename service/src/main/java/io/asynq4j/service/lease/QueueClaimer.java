package io.asynq4j.service.lease;

import io.asynq4j.QueueName;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.QueueWatch;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.lease.TaskLeases.LeaseBatch;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims tasks for workers that wait for tasks of several queues, and keeps the {@link
 * QueueAvailability} up to date: a queue without tasks is watched instead of asked again.
 * Thread-safe.
 */
public final class QueueClaimer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(QueueClaimer.class);

  private static final String NOT_NOTIFIED =
      SafeLog.text("workers that wait for a queue cannot be notified");

  /** For more queues, it is cheaper to ask first which of them have tasks. */
  private static final int FEW_QUEUES = 3;

  /** The workers to claim for. */
  public interface Workers {

    /** Whether a worker wants tasks of the queue. */
    boolean want(String queue);

    /** Whether a worker needs a reply of the queue's Redis server even if it has no tasks. */
    default boolean needReply(String queue) {
      return false;
    }

    /**
     * Claims tasks of the queue for the workers with {@link QueueClaimer#claim}.
     *
     * @return whether the queue had fewer tasks than wanted; false when it is unavailable
     */
    boolean exhaust(String queue);
  }

  private final QueueAvailability availability;
  private final TimeLimitedClaimer claims;
  private final QueueWatch watch;

  /**
   * @param availability closed with this
   */
  public QueueClaimer(Supplier<TaskLeases> leases, QueueAvailability availability) {
    this.availability = availability;
    this.claims = new TimeLimitedClaimer(leases, availability::changed);
    this.watch =
        leases
            .get()
            .watch(
                new QueueWatch.Listener() {
                  @Override
                  public void changed(QueueName queue) {
                    availability.changed(Set.of(queue.value()));
                  }

                  @Override
                  public void lost() {
                    availability.allChanged();
                  }
                });
  }

  /**
   * Claims from one queue as {@link TimeLimitedClaimer#claim} does. Returns null when the queue is
   * unavailable.
   */
  public @Nullable LeaseBatch claim(String queue, int max, Duration lease) {
    long version = availability.version(queue);
    LeaseBatch batch = claims.claim(queue, max, lease);
    if (batch == null) {
      availability.unavailableSince(queue, version);
      return null;
    }
    if (batch.heldUntil() != null) {
      availability.changedAt(queue, batch.heldUntil());
    }
    try {
      availability.claimed(queue, !batch.tasks().isEmpty());
    } catch (RuntimeException | Error e) {
      // The tasks are leased and must reach a worker.
      SafeLog.error(log, NOT_NOTIFIED, e);
    }
    return batch;
  }

  /**
   * Claims from those of the queues that may have tasks, in this order. Queues without enough tasks
   * are empty afterwards, and the watch reports when they have tasks.
   */
  public void claimFor(Workers workers, Collection<String> queues) {
    Set<String> exhausted = claimEach(workers, queues);
    exhausted.removeIf(queue -> !workers.want(queue));
    if (exhausted.isEmpty()) {
      return;
    }
    Map<String, Long> versions = availability.versions(exhausted);
    // A task that arrives before the reply is in the reply; a later one is reported.
    Set<String> withTasks = texts(watch.armEmpty(names(exhausted)));
    if (!withTasks.isEmpty()) {
      // They arrived just now, or there is a pause or a limit: its end is reported from now on.
      watch.armBlocked(names(withTasks));
      Set<String> again = claimEach(workers, queues.stream().filter(withTasks::contains).toList());
      versions.keySet().removeIf(queue -> withTasks.contains(queue) && !again.contains(queue));
    }
    availability.emptySince(versions);
  }

  /** Returns the queues that had fewer tasks than wanted. */
  private Set<String> claimEach(Workers workers, Collection<String> queues) {
    List<String> candidates = queues.stream().filter(availability::mayHaveTasks).toList();
    Set<String> worthClaiming = Set.copyOf(worthClaiming(candidates));
    Set<String> exhausted = new HashSet<>();
    for (String queue : candidates) {
      if (!workers.want(queue)) {
        continue;
      }
      if (!worthClaiming.contains(queue) && !workers.needReply(queue)) {
        availability.claimed(queue, false);
        exhausted.add(queue);
      } else if (workers.exhaust(queue)) {
        exhausted.add(queue);
      }
    }
    return exhausted;
  }

  /** Those of many queues that have tasks; all of few queues. */
  Collection<String> worthClaiming(Collection<String> queues) {
    return queues.size() > FEW_QUEUES ? withTasks(queues) : queues;
  }

  /** Asks Redis which of the queues have tasks. */
  public Set<String> withTasks(Collection<String> queues) {
    return texts(watch.withTasks(names(queues)));
  }

  private static Set<QueueName> names(Collection<String> queues) {
    return queues.stream().map(QueueName::of).collect(Collectors.toSet());
  }

  private static Set<String> texts(Set<QueueName> queues) {
    return queues.stream().map(QueueName::value).collect(Collectors.toSet());
  }

  /** Returns tasks to their queue that no worker can be given, on another thread. */
  void requeue(String queue, List<LeasedTask> tasks) {
    claims.requeue(queue, tasks);
  }

  @Override
  public void close() {
    watch.close();
    claims.close();
    availability.close();
  }
}
