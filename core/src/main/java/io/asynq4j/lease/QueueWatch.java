package io.asynq4j.lease;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Tells when queues may have tasks to claim, for whoever waits for some without asking again and
 * again. Thread-safe. One serves a process, whatever the number of its workers.
 *
 * <p>Race-free order: claim; nothing came; arm; the queue is not in the answer; wait. A message may
 * get lost with its connection, so look again once a second or two in any case.
 */
public final class QueueWatch implements AutoCloseable {

  private static final Set<QueuePart> TASKS = EnumSet.of(QueuePart.PENDING);

  /** A place that became free, or the end of a pause, pushes nothing into the queue. */
  private static final Set<QueuePart> OBSTACLES =
      EnumSet.of(QueuePart.PENDING, QueuePart.LEASE, QueuePart.PAUSED);

  private final StoreWatch lookout;
  private final StoreWatch.Watch watch;

  QueueWatch(StoreWatch lookout, Listener listener) {
    this.lookout = lookout;
    this.watch =
        lookout.watch(
            new StoreWatch.Listener() {
              @Override
              public void changed(QueueName queue, QueuePart part) {
                listener.changed(queue.value());
              }

              @Override
              public void lost() {
                listener.lost();
              }
            });
  }

  /** Called on a thread of the watch: it must be quick, and must not call the watch. */
  public interface Listener {

    /** This queue has changed since it was armed; it is no longer armed. */
    void changed(String queue);

    /** What was armed may be no longer: look at everything. */
    void lost();
  }

  /**
   * From now on, the next task that comes into one of these queues is told, once. Returns those
   * that have tasks waiting now.
   */
  public Set<String> armEmpty(Collection<String> queues) {
    return texts(watch.arm(names(queues), TASKS));
  }

  /**
   * The same for queues that have tasks and gave none: the end of a pause and a place that becomes
   * free are told too.
   */
  public void armBlocked(Collection<String> queues) {
    watch.arm(names(queues), OBSTACLES);
  }

  /** Those of the queues that have tasks waiting now; nothing is armed. */
  public Set<String> withTasks(Collection<String> queues) {
    return texts(lookout.having(names(queues), TASKS));
  }

  private static Set<QueueName> names(Collection<String> queues) {
    return queues.stream().map(QueueName::of).collect(Collectors.toSet());
  }

  private static Set<String> texts(Set<QueueName> queues) {
    return queues.stream().map(QueueName::value).collect(Collectors.toSet());
  }

  @Override
  public void close() {
    watch.close();
  }
}
