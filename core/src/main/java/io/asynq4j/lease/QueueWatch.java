package io.asynq4j.lease;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/**
 * Notifies when queues may have tasks to claim, so that workers need not poll. Thread-safe; one per
 * process is enough for any number of workers.
 *
 * <p>To miss no task: claim; if nothing came, arm the queue; if it is not in the result, wait. A
 * notification may be lost with its connection, so also claim again every second or two.
 */
public final class QueueWatch implements AutoCloseable {

  private static final Set<QueuePart> TASKS = EnumSet.of(QueuePart.PENDING);

  /** The end of a pause and of a lease do not change the pending tasks. */
  private static final Set<QueuePart> OBSTACLES =
      EnumSet.of(QueuePart.PENDING, QueuePart.LEASE, QueuePart.PAUSED);

  private final StoreWatch store;
  private final StoreWatch.Watch watch;

  QueueWatch(StoreWatch store, Listener listener) {
    this.store = store;
    this.watch =
        store.watch(
            new StoreWatch.Listener() {
              @Override
              public void changed(QueueName queue, QueuePart part) {
                listener.changed(queue);
              }

              @Override
              public void lost() {
                listener.lost();
              }
            });
  }

  /** Called on a thread of the watch: must return quickly and must not call the watch. */
  public interface Listener {

    /** The queue has changed since it was armed; it is no longer armed. */
    void changed(QueueName queue);

    /** Notifications may have been lost: claim from all queues and arm them again. */
    void lost();
  }

  /**
   * Arms queues: the next pending task of each is notified once. Returns the queues that have
   * pending tasks now.
   */
  public Set<QueueName> armEmpty(Collection<QueueName> queues) {
    return watch.arm(Set.copyOf(queues), TASKS);
  }

  /**
   * Arms queues that have pending tasks but returned none: the end of a pause and of a lease are
   * notified too.
   */
  public void armBlocked(Collection<QueueName> queues) {
    watch.arm(Set.copyOf(queues), OBSTACLES);
  }

  /** Returns the queues that have pending tasks now, without arming them. */
  public Set<QueueName> withTasks(Collection<QueueName> queues) {
    return store.having(Set.copyOf(queues), TASKS);
  }

  @Override
  public void close() {
    watch.close();
  }
}
