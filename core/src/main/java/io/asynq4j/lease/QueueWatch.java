package io.asynq4j.lease;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

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
                listener.changed(queue.value());
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
    void changed(String queue);

    /** Notifications may have been lost: claim from all queues and arm them again. */
    void lost();
  }

  /**
   * Arms queues: the next pending task of each is notified once. Returns the queues that have
   * pending tasks now.
   */
  public Set<String> armEmpty(Collection<String> queues) {
    return texts(watch.arm(names(queues), TASKS));
  }

  /**
   * Arms queues that have pending tasks but returned none: the end of a pause and of a lease are
   * notified too.
   */
  public void armBlocked(Collection<String> queues) {
    watch.arm(names(queues), OBSTACLES);
  }

  /** Returns the queues that have pending tasks now, without arming them. */
  public Set<String> withTasks(Collection<String> queues) {
    return texts(store.having(names(queues), TASKS));
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
