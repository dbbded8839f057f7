package io.asynq4j.internal.redis.watch;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The watch of one listener: the queues and parts whose changes it waits for. Thread-safe. */
final class WatchSubscription implements StoreWatch.Watch {

  private static final Logger log = LoggerFactory.getLogger(WatchSubscription.class);

  private record Armed(QueueName queue, QueuePart part) {}

  private final RedisStoreWatch storeWatch;
  private final StoreWatch.Listener listener;
  private final Map<String, Armed> armed = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final @Nullable ClientTracking tracking;

  WatchSubscription(RedisStoreWatch storeWatch, StoreWatch.Listener listener) {
    this.storeWatch = storeWatch;
    this.listener = listener;
    this.tracking = storeWatch.join(this);
  }

  @Override
  public Set<QueueName> arm(Collection<QueueName> queues, Set<QueuePart> parts) {
    if (closed.get()) {
      throw new IllegalStateException("the watch is closed");
    }
    return tracking == null
        ? storeWatch.having(queues, parts)
        : tracking.arm(this, queues, new NonEmptyQueueQuery(parts));
  }

  /** Registers interest before Redis is read, so that no change is reported too early. */
  void expect(Collection<QueueName> queues, Set<QueuePart> parts) {
    for (QueueName queue : queues) {
      for (QueuePart part : parts) {
        armed.put(RedisKeys.of(queue, part), new Armed(queue, part));
      }
    }
  }

  /** Reports these parts as changed, as far as they are armed. */
  void changed(Collection<QueueName> queues, Set<QueuePart> parts) {
    queues.forEach(queue -> parts.forEach(part -> changed(RedisKeys.of(queue, part))));
  }

  void changed(String key) {
    Armed what = armed.remove(key);
    if (what != null) {
      notifyListener(() -> listener.changed(what.queue(), what.part()));
    }
  }

  void lost() {
    // A concurrent arm() is notified below that it has to be repeated.
    armed.clear();
    notifyListener(listener::lost);
  }

  private void notifyListener(Runnable message) {
    if (closed.get()) {
      return;
    }
    try {
      message.run();
    } catch (RuntimeException e) {
      log.error("the change listener failed; its queues are read again at the next poll", e);
    }
  }

  @Override
  public boolean isLive() {
    return tracking != null && !closed.get() && tracking.isLive();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true) && tracking != null) {
      storeWatch.leave(tracking, this);
      armed.clear();
    }
  }
}
