package io.asynq4j.internal.server.shard;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The watch of a server, shared by its actors: each is notified of its parts. Thread-safe. */
public final class SharedQueueWatch implements AutoCloseable {

  private final Map<QueuePart, Consumer<QueueName>> listeners = new ConcurrentHashMap<>();
  private final List<Runnable> lost = new CopyOnWriteArrayList<>();
  private final StoreWatch.Watch watch;

  public SharedQueueWatch(StoreWatch watches) {
    this.watch =
        watches.watch(
            new StoreWatch.Listener() {
              @Override
              public void changed(QueueName queue, QueuePart part) {
                listeners.getOrDefault(part, unused -> {}).accept(queue);
              }

              @Override
              public void lost() {
                lost.forEach(Runnable::run);
              }
            });
  }

  /**
   * Registers an actor. Both callbacks must return quickly.
   *
   * @param changed one of the parts has changed since it was armed
   * @param onLost armed parts may be lost
   */
  public void listen(Set<QueuePart> parts, Consumer<QueueName> changed, Runnable onLost) {
    parts.forEach(part -> listeners.put(part, changed));
    lost.add(onLost);
  }

  public Set<QueueName> arm(Collection<QueueName> queues, Set<QueuePart> parts) {
    return watch.arm(queues, parts);
  }

  public boolean isLive() {
    return watch.isLive();
  }

  @Override
  public void close() {
    watch.close();
  }
}
