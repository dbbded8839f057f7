package io.asynq4j.server;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Lookout.Part;
import io.asynq4j.broker.Upkeep.Forwarded;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves tasks to pending when their time has come. It sleeps until the next time it knows of, and
 * is told when an earlier one may have come in. One thread.
 */
final class Forwarder implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Forwarder.class);

  private static final Set<Part> WAITING = EnumSet.of(Part.SCHEDULED, Part.RETRY);
  private static final int MOST = 50;

  /** Between two looks at a queue that changes all the time. */
  private static final Duration SHORTEST = Duration.ofMillis(5);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /** How long it sleeps at most when nobody tells of changes. */
  private static final Duration UNTOLD = Duration.ofSeconds(1);

  private final ServerConfig config;
  private final Broker broker;
  private final Queues queues;
  private final Outages outages;
  private final Signal signal = new Signal();
  private final Watcher watch;
  private final Set<QueueName> changed = ConcurrentHashMap.newKeySet();
  private final Map<QueueName, Instant> due = new HashMap<>();
  private volatile boolean lookAtAll = true;
  private volatile boolean stopped;
  private long lastLook;

  Forwarder(ServerConfig config, Broker broker, Queues queues, Outages outages, Watcher watch) {
    this.config = config;
    this.broker = broker;
    this.queues = queues;
    this.outages = outages;
    this.watch = watch;
    watch.listen(
        WAITING,
        queue -> {
          changed.add(queue);
          signal.raise();
        },
        this::lookAtAll);
    queues.onChange(this::lookAtAll);
  }

  private void lookAtAll() {
    lookAtAll = true;
    signal.raise();
  }

  @Override
  public void run() {
    Duration pause = SHORTEST;
    while (!stopped) {
      try {
        round();
        pause = SHORTEST;
        signal.await(waitNanos());
      } catch (BrokerException e) {
        if (!outages.failed(e)) {
          log.warn("the forwarder failed and tries again", e);
        }
        lookAtAll = true;
        pause = pauseAfter(pause);
      } catch (RuntimeException | Error e) {
        log.error("the forwarder failed and tries again", e);
        lookAtAll = true;
        pause = pauseAfter(pause);
      }
    }
  }

  private Duration pauseAfter(Duration pause) {
    Duration longer = pause.multipliedBy(4);
    Duration next = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
    if (!stopped && !Pause.sleep(next)) {
      stopped = true;
    }
    return next;
  }

  void stop() {
    stopped = true;
    signal.raise();
  }

  private void round() {
    List<QueueName> toLookAt = new ArrayList<>();
    long now = System.nanoTime();
    if (lookAtAll || now - lastLook >= interval().toNanos()) {
      lookAtAll = false;
      lastLook = now;
      changed.clear();
      toLookAt.addAll(queues.names());
      due.keySet().retainAll(toLookAt);
    } else if (!changed.isEmpty()) {
      toLookAt.addAll(changed);
      toLookAt.forEach(changed::remove);
    }
    Set<QueueName> waiting = toLookAt.isEmpty() ? Set.of() : watch.arm(toLookAt, WAITING);
    toLookAt.forEach(due::remove);
    // What changes from now on is told, also by this server itself: one look too many at worst.
    List<QueueName> toForward = new ArrayList<>(waiting);
    Instant instant = broker.clock().instant();
    due.forEach(
        (queue, time) -> {
          if (!time.isAfter(instant)) {
            toForward.add(queue);
          }
        });
    toForward.forEach(this::forward);
    if (!toLookAt.isEmpty()) {
      Pause.sleep(SHORTEST);
    }
  }

  private void forward(QueueName queue) {
    Forwarded forwarded;
    try {
      do {
        forwarded = broker.upkeep().forward(queue, MOST);
      } while (forwarded.moved() == MOST && !stopped);
    } catch (BrokerRefusedException e) {
      // This queue is broken, or forbidden; the others are looked after all the same.
      log.error("could not forward due tasks of queue {}", queue, e);
      due.put(queue, broker.clock().instant().plus(LONGEST_PAUSE));
      return;
    }
    if (forwarded.nextDue() == null) {
      due.remove(queue);
    } else {
      due.put(queue, forwarded.nextDue());
    }
  }

  private Duration interval() {
    return watch.isLive() ? config.forwardInterval() : UNTOLD;
  }

  private long waitNanos() {
    long wait = lastLook + interval().toNanos() - System.nanoTime();
    Instant now = broker.clock().instant();
    for (Instant next : due.values()) {
      wait = Math.min(wait, Duration.between(now, next).plusMillis(1).toNanos());
    }
    return Math.max(wait, 1);
  }
}
