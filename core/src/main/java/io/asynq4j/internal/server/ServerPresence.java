package io.asynq4j.internal.server;

import io.asynq4j.Payload;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers the server and its running tasks for inspectors, until it is hidden. Thread-safe. */
final class ServerPresence {

  private static final Logger log = LoggerFactory.getLogger(ServerPresence.class);

  /** Larger payloads are omitted, since each heartbeat sends them again. */
  private static final int LARGEST_SHOWN = 1024;

  private final Presence presence;
  private final AttemptRegistry attempts;
  private final Supplier<Presence.Server> server;
  private final Duration ttl;
  private final Lock lock = new ReentrantLock();
  private volatile boolean hidden;

  /**
   * @param server describes this server
   * @param ttl time after which the registration expires unless repeated
   */
  ServerPresence(
      Presence presence, AttemptRegistry attempts, Supplier<Presence.Server> server, Duration ttl) {
    this.presence = presence;
    this.attempts = attempts;
    this.server = server;
    this.ttl = ttl;
  }

  void show() {
    lock.lock();
    try {
      if (!hidden) {
        List<Attempt> running = attempts.all().stream().filter(Attempt::isRunning).toList();
        // After the attempts, so that each shown worker is counted as busy.
        Presence.Server self = server.get();
        presence.show(self, running.stream().map(attempt -> worker(self, attempt)).toList(), ttl);
      }
    } finally {
      lock.unlock();
    }
  }

  private static Presence.Worker worker(Presence.Server self, Attempt attempt) {
    Payload payload = attempt.ref().task().payload();
    return new Presence.Worker(
        self.host(),
        self.pid(),
        self.serverId(),
        attempt.id(),
        attempt.type(),
        payload.size() > LARGEST_SHOWN ? Payload.absent() : payload,
        attempt.queue(),
        attempt.startedAt(),
        attempt.deadline());
  }

  /**
   * Unregisters the server. Waits for a registration in flight, which would register it again, but
   * only for a limited time, since Redis may not answer.
   */
  void hide() {
    hidden = true;
    boolean locked = false;
    try {
      locked = lock.tryLock(GracefulShutdown.FLUSH_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
      presence.hide(server.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      log.debug("could not unregister the server; its registration expires", e);
    } finally {
      if (locked) {
        lock.unlock();
      }
    }
  }
}
