package io.asynq4j.server;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Claim;
import io.asynq4j.broker.Presence;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Extends the leases of all attempts in time, and shows the server. One thread; it ends last. */
final class LeaseKeeper implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

  /** When Redis is down: soon, so that leases are extended before somebody sweeps. */
  private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

  private final ServerConfig config;
  private final Broker broker;
  private final Attempts attempts;
  private final Outages outages;
  private final Runnable ping;
  private final Supplier<Presence.Server> server;
  private final Signal signal = new Signal();
  private volatile boolean stopped;
  private volatile boolean beatNow;

  /**
   * @param ping follows the clock of Redis
   * @param server how this server is to be seen now
   */
  LeaseKeeper(
      ServerConfig config,
      Broker broker,
      Attempts attempts,
      Outages outages,
      Runnable ping,
      Supplier<Presence.Server> server) {
    this.config = config;
    this.broker = broker;
    this.attempts = attempts;
    this.outages = outages;
    this.ping = ping;
    this.server = server;
    // Whoever noticed it, the keeper tries from then on until Redis is back.
    outages.onStart(this::showSoon);
  }

  @Override
  public void run() {
    long nextBeat = System.nanoTime();
    while (!stopped) {
      long now = System.nanoTime();
      if (beatNow || now - nextBeat >= 0) {
        beatNow = false;
        nextBeat = now + (beat() ? config.heartbeat() : AFTER_FAILURE).toNanos();
      }
      signal.await(Math.max(1, nextBeat - System.nanoTime()));
    }
    hide();
  }

  private boolean beat() {
    try {
      ping.run();
      try {
        extendAll();
      } finally {
        show();
      }
      outages.worked();
      return true;
    } catch (BrokerException e) {
      if (!outages.failed(e)) {
        log.warn("the heartbeat failed and is repeated", e);
      }
    } catch (RuntimeException | Error e) {
      log.error("the heartbeat failed and is repeated", e);
    }
    return false;
  }

  private void extendAll() {
    Map<QueueName, List<Attempt>> byQueue = new HashMap<>();
    for (Attempt attempt : attempts.all()) {
      byQueue.computeIfAbsent(attempt.queue(), any -> new ArrayList<>()).add(attempt);
    }
    EachQueue.of(byQueue.keySet(), queue -> extend(queue, byQueue.getOrDefault(queue, List.of())));
  }

  private void extend(QueueName queue, List<Attempt> running) {
    List<Claim> claims = running.stream().map(Attempt::claim).toList();
    List<@Nullable Instant> ends = broker.source().extend(queue, claims, config.lease());
    for (int i = 0; i < running.size(); i++) {
      Attempt attempt = running.get(i);
      // One that has just been settled has no lease any more, and none to lose.
      if (ends.get(i) == null && !attempt.isDecided()) {
        attempt.leaseLost();
      }
    }
  }

  /** Now, and not only at the next beat: the state of the server has changed. */
  void showSoon() {
    beatNow = true;
    signal.raise();
  }

  private void show() {
    List<Attempt> running = attempts.all().stream().filter(Attempt::isRunning).toList();
    // After them, so that whoever is shown is counted as busy, too.
    Presence.Server self = server.get();
    List<Presence.Worker> workers = new ArrayList<>();
    for (Attempt attempt : running) {
      workers.add(
          new Presence.Worker(
              self.host(),
              self.pid(),
              self.serverId(),
              attempt.id(),
              attempt.type(),
              attempt.task().payload(),
              attempt.queue(),
              attempt.startedAt(),
              attempt.deadline()));
    }
    broker.presence().show(self, workers, config.heartbeat().multipliedBy(2));
  }

  private void hide() {
    try {
      broker.presence().hide(server.get());
    } catch (RuntimeException e) {
      log.debug("could not take the server off the list; it disappears by itself", e);
    }
  }

  void stop() {
    stopped = true;
    signal.raise();
  }
}
