package io.asynq4j.internal.server.claim;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptExecutor;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.attempt.OutcomePolicy;
import io.asynq4j.internal.server.claim.QueueClaimState.Status;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.SharedQueueWatch;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes tasks from the queues as long as workers are free, many at a time, and shares the workers
 * by the queues' weights. A queue that has nothing is not asked again before somebody has told that
 * it may have something. One thread.
 */
public final class ClaimLoop implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(ClaimLoop.class);

  private static final Set<QueuePart> PENDING = EnumSet.of(QueuePart.PENDING);
  private static final Set<QueuePart> PAUSED = EnumSet.of(QueuePart.PAUSED);
  private static final Set<QueuePart> LEASE = EnumSet.of(QueuePart.LEASE);

  /** How long it waits at most when Redis tells of changes: a message may get lost. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  /** Before a queue that is held is asked again, whatever the clocks say. */
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

  /** While other queues have work, queues that had none are looked after only so often. */
  private static final long LOOK_NANOS = Duration.ofMillis(2).toNanos();

  /** What one call takes at most. */
  private static final int MOST_PER_CLAIM = 100;

  /**
   * What it takes while so many settlements wait: then Redis has enough to do, and to claim more
   * would only make the number of active tasks grow, which makes each dearer.
   */
  private static final int MOST_WHEN_BEHIND = 50;

  private static final int BEHIND = 200;

  /**
   * What several queues share in one round: the larger, the longer one runs ahead of the others.
   */
  private static final int MOST_PER_ROUND = 200;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final ServerConfig config;
  private final AttemptHost host;
  private final ServedQueues queues;
  private final AttemptExecutor workers;
  private final SettlementBuffer settler;
  private final AttemptRegistry attempts;
  private final ShardTopology shards;
  private final ShardClaimer claims;
  private final WakeupSignal signal;
  private final SharedQueueWatch watch;
  private final Runnable shortLease;
  private final Consumer<LinkageError> fatal;
  private final StrideScheduler<QueueClaimState> ready;
  private final Set<QueueName> woken = ConcurrentHashMap.newKeySet();
  private final Set<QueueName> limited = ConcurrentHashMap.newKeySet();
  private volatile boolean allWoken = true;
  private volatile boolean queuesChanged = true;
  private volatile boolean stopped;

  private Map<QueueName, QueueClaimState> served = new LinkedHashMap<>();
  private final Set<QueueClaimState> unwatched = new LinkedHashSet<>();
  private final Set<QueueClaimState> held = new LinkedHashSet<>();

  /** Queues that are left to other servers first, and until when. */
  private final Map<QueueClaimState, Long> waiting = new LinkedHashMap<>();

  /** Claims that no attempt has been made of: of a batch during which an error came. */
  private final Deque<Claim> unstarted = new ArrayDeque<>(MOST_PER_CLAIM + 1);

  /** The answer of a server of a cluster that an error has kept from being handled. */
  private ShardClaimer.@Nullable Answer unhandled;

  private long attemptNumber;
  private boolean rejected;
  private long lastLook;
  private long lastPoll = System.nanoTime();
  private Duration pause = FIRST_PAUSE;

  /**
   * @param shortLease called when something was claimed whose lease ends soon
   * @param fatal told when nothing can ever be claimed, since libraries do not fit
   */
  public ClaimLoop(
      ServerConfig config,
      AttemptHost host,
      ServedQueues queues,
      AttemptExecutor workers,
      SettlementBuffer settler,
      AttemptRegistry attempts,
      ShardTopology shards,
      WakeupSignal signal,
      SharedQueueWatch watch,
      Runnable shortLease,
      Consumer<LinkageError> fatal) {
    this(
        config,
        host,
        queues,
        workers,
        settler,
        attempts,
        shards,
        signal,
        watch,
        shortLease,
        fatal,
        QueueClaimState::weight);
  }

  /**
   * @param weight of a queue that gets its place among those that have tasks
   */
  ClaimLoop(
      ServerConfig config,
      AttemptHost host,
      ServedQueues queues,
      AttemptExecutor workers,
      SettlementBuffer settler,
      AttemptRegistry attempts,
      ShardTopology shards,
      WakeupSignal signal,
      SharedQueueWatch watch,
      Runnable shortLease,
      Consumer<LinkageError> fatal,
      ToIntFunction<QueueClaimState> weight) {
    this.config = config;
    this.host = host;
    this.queues = queues;
    this.workers = workers;
    this.settler = settler;
    this.attempts = attempts;
    this.shards = shards;
    this.claims = new ShardClaimer(shards, host.source(), settler, signal);
    this.signal = signal;
    this.ready = new StrideScheduler<>(config.strictPriority(), weight);
    this.watch = watch;
    this.shortLease = shortLease;
    this.fatal = fatal;
    watch.listen(
        EnumSet.of(QueuePart.PENDING, QueuePart.PAUSED, QueuePart.LEASE),
        this::wake,
        this::wakeAll);
    queues.onChange(
        () -> {
          queuesChanged = true;
          signal.raise();
        });
  }

  private void wake(QueueName queue) {
    woken.add(queue);
    signal.raise();
  }

  private void wakeAll() {
    allWoken = true;
    signal.raise();
  }

  @Override
  public void run() {
    while (!stopped) {
      try {
        turn();
      } catch (BrokerException e) {
        allWoken = true;
        if (!shards.outages().failed("", e)) {
          log.error("could not claim tasks", e);
        }
        waitAfterFailure();
      } catch (RuntimeException | Error e) {
        allWoken = true;
        ThreadSupervisor.report(log, "the processor failed and goes on", e);
        endServerIfFatal(e);
        shards.outages().failed("", e);
        waitAfterFailure();
      }
    }
    claims.close();
    giveBackUnhandled();
    for (Claim claim = unstarted.peek(); claim != null; claim = unstarted.peek()) {
      settler.addUnattempted(OutcomePolicy.requeued(claim));
      unstarted.remove();
    }
  }

  private void giveBackUnhandled() {
    ClaimBatch batch = unhandled == null ? null : unhandled.batch();
    if (batch != null && !batch.claims().isEmpty()) {
      claims.giveBack(batch, 0);
    }
    unhandled = null;
  }

  /** Only for libraries that do not fit: other code may be linked once there is memory again. */
  private void endServerIfFatal(Throwable error) {
    if (error instanceof IncompatibleClassChangeError e) {
      fatal.accept(e);
    }
  }

  private void waitAfterFailure() {
    allWoken = true;
    long end = System.nanoTime() + pause.toNanos();
    while (!stopped && end - System.nanoTime() > 0) {
      signal.await(end - System.nanoTime());
    }
    Duration longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
  }

  public void stop() {
    stopped = true;
    signal.raise();
  }

  // Nothing relies on the scheduler: without the yield the calls are smaller, and as right.
  @SuppressWarnings("ThreadPriorityCheck")
  private void turn() {
    startAll();
    takeUpChanges();
    int free = free();
    if (free > 0 && free < config.concurrency()) {
      // Handlers that are about to end may do so now: then one call asks for all of them.
      Thread.yield();
      free = free();
    }
    if (free <= 0) {
      signal.await(LONGEST_WAIT.toNanos());
      return;
    }
    long now = System.nanoTime();
    if (ready.isEmpty() || now - lastLook >= LOOK_NANOS) {
      lastLook = now;
      watchIdle();
    }
    if (ready.isEmpty()) {
      signal.await(waitNanos());
      return;
    }
    claim(free);
    if (rejected) {
      rejected = false;
      waitAfterFailure();
      return;
    }
    pause = FIRST_PAUSE;
  }

  private int free() {
    // What Redis does not take note of must not pile up here.
    return settler.waiting() > 2 * config.concurrency() + 1_000 ? 0 : workers.free();
  }

  private void takeUpChanges() {
    if (queuesChanged) {
      queuesChanged = false;
      serveAll();
    }
    seeToAnswers();
    long now = System.nanoTime();
    boolean all = allWoken;
    if (all || now - lastPoll >= pollNanos()) {
      lastPoll = now;
      if (all) {
        allWoken = false;
        woken.clear();
      }
      served.values().forEach(this::lookAgain);
    }
    if (!woken.isEmpty()) {
      List<QueueName> names = List.copyOf(woken);
      names.forEach(woken::remove);
      for (QueueName name : names) {
        QueueClaimState queue = served.get(name);
        if (queue != null) {
          told(queue);
        }
      }
    }
    if (!waiting.isEmpty()) {
      waiting.entrySet().removeIf(entry -> entry.getValue() - now <= 0 && lookNow(entry.getKey()));
    }
    if (!held.isEmpty()) {
      Instant instant = host.clock().instant();
      for (QueueClaimState queue : List.copyOf(held)) {
        Instant until = queue.heldUntil();
        if (until == null || !instant.isBefore(until)) {
          makeReady(queue);
        }
      }
    }
  }

  /** One after the other: after an error, the one that was not handled comes first. */
  private void seeToAnswers() {
    for (ShardClaimer.Answer answer = nextAnswer(); answer != null; answer = nextAnswer()) {
      unhandled = answer;
      answered(answer);
      unhandled = null;
    }
  }

  private ShardClaimer.@Nullable Answer nextAnswer() {
    return unhandled != null ? unhandled : claims.nextAnswer();
  }

  private void serveAll() {
    try {
      serve(queues.weights());
    } catch (RuntimeException | Error e) {
      queuesChanged = true;
      throw e;
    }
  }

  private void serve(Map<QueueName, Integer> weights) {
    Map<QueueName, QueueClaimState> next = new LinkedHashMap<>();
    weights.forEach(
        (name, weight) -> {
          QueueClaimState queue = served.get(name);
          QueueRules rules = config.rulesOf(name);
          if (queue == null || queue.weight() != weight || !queue.rules().equals(rules)) {
            queue = new QueueClaimState(name, weight, rules);
          }
          next.put(name, queue);
        });
    served = next;
    ready.forgetIf(queue -> served.get(queue.name()) != queue);
    held.removeIf(queue -> served.get(queue.name()) != queue);
    unwatched.removeIf(queue -> served.get(queue.name()) != queue);
    served.values().stream()
        .filter(queue -> queue.status() == Status.EMPTY)
        .forEach(unwatched::add);
  }

  /**
   * A queue that is watched is looked at anyway, since a message may have got lost; and one that is
   * held, since somebody may have taken away the task that holds it. One that an error, such as a
   * lack of memory, has left without a place gets its place again.
   */
  private void lookAgain(QueueClaimState queue) {
    switch (queue.status()) {
      case WATCHED -> {
        queue.become(Status.EMPTY);
        unwatched.add(queue);
      }
      case HELD -> makeReady(queue);
      case READY, FULL_WATCHED -> ready.enter(queue);
      case EMPTY, PAUSED, FULL -> unwatched.add(queue);
      case STALLED -> {
        // Otherwise it is asked once its server answers.
        if (!claims.knows(queue)) {
          makeReady(queue);
        }
      }
    }
  }

  private void told(QueueClaimState queue) {
    if (queue.status() == Status.STALLED) {
      // It is asked in any case once its server answers.
      return;
    }
    long wait = queue.toldOfSomething();
    if (wait == 0 || queue.status() != Status.WATCHED) {
      makeReady(queue);
    } else {
      waiting.putIfAbsent(queue, System.nanoTime() + wait);
    }
  }

  /** After a wait for others: whether they have left something is asked before it is claimed. */
  private boolean lookNow(QueueClaimState queue) {
    if (served.get(queue.name()) == queue) {
      lookAgain(queue);
    }
    return true;
  }

  private void makeReady(QueueClaimState queue) {
    unwatched.remove(queue);
    held.remove(queue);
    queue.become(Status.READY);
    ready.enter(queue);
  }

  private void leaveReady(QueueClaimState queue, Status status) {
    ready.leave(queue);
    queue.become(status);
    unwatched.add(queue);
  }

  /** Has itself told when one of the queues that gave nothing may give something. */
  private void watchIdle() {
    if (unwatched.isEmpty()) {
      return;
    }
    List<QueueClaimState> all = List.copyOf(unwatched);
    watch(all, Status.EMPTY, PENDING);
    watch(all, Status.PAUSED, PAUSED);
    watch(all, Status.FULL, LEASE);
    // Not before: when Redis fails, they are as unwatched as they were.
    unwatched.clear();
  }

  private void watch(List<QueueClaimState> all, Status status, Set<QueuePart> parts) {
    List<QueueName> names = new ArrayList<>();
    for (QueueClaimState queue : all) {
      if (queue.status() == status) {
        names.add(queue.name());
      }
    }
    if (names.isEmpty()) {
      return;
    }
    Set<QueueName> having = watch.arm(names, parts);
    for (QueueName name : names) {
      QueueClaimState queue = served.get(name);
      if (queue == null) {
        continue;
      }
      boolean has = having.contains(name);
      switch (status) {
        case EMPTY -> becomeReadyIf(has, queue);
        case PAUSED -> becomeReadyIf(!has, queue);
        default -> {
          // A place may have got free before it was watched: asked once more.
          makeReady(queue);
          queue.become(Status.FULL_WATCHED);
        }
      }
    }
  }

  private void becomeReadyIf(boolean worthIt, QueueClaimState queue) {
    if (worthIt) {
      makeReady(queue);
    } else {
      queue.become(Status.WATCHED);
    }
  }

  private long pollNanos() {
    long poll = config.pollInterval().toNanos();
    return watch.isLive() ? Math.max(LONGEST_WAIT.toNanos(), poll) : poll;
  }

  private long waitNanos() {
    long nanos = System.nanoTime();
    long wait = Math.min(Math.max(0, lastPoll + pollNanos() - nanos), claims.restNanos());
    for (long until : waiting.values()) {
      wait = Math.min(wait, Math.max(until - nanos, 1));
    }
    if (!held.isEmpty()) {
      Instant now = host.clock().instant();
      for (QueueClaimState queue : held) {
        Instant until = queue.heldUntil();
        if (until != null) {
          long left = TimeMath.nanosUntil(until.plusMillis(1), now);
          wait = Math.min(wait, Math.max(left, SHORTEST_WAIT.toNanos()));
        }
      }
    }
    return wait;
  }

  private void claim(int free) {
    Map<QueueClaimState, Integer> shares =
        ready.share(ready.size() > 1 ? Math.min(free, MOST_PER_ROUND) : free);
    for (Map.Entry<QueueClaimState, Integer> share : shares.entrySet()) {
      int wanted = config.strictPriority() ? free() : share.getValue();
      int got = 0;
      while (got < wanted && !stopped && ready.contains(share.getKey())) {
        got += claimFrom(share.getKey(), Math.min(wanted - got, mostPerClaim()));
      }
      ready.refund(share.getKey(), share.getValue() - got);
      if (config.strictPriority() && ready.contains(share.getKey())) {
        // It has more, and gets the workers that have become free meanwhile, too.
        break;
      }
    }
  }

  private int mostPerClaim() {
    return settler.waiting() > BEHIND ? MOST_WHEN_BEHIND : MOST_PER_CLAIM;
  }

  private int claimFrom(QueueClaimState queue, int wanted) {
    if (settler.isRefused(queue.name())) {
      // Its settlements would fill the server until nothing is claimed from any queue.
      putAside(queue, host.clock().instant().plus(LONGEST_PAUSE));
      return 0;
    }
    String shard = shards.of(queue.name());
    ClaimBatch batch;
    try {
      if (shard.isEmpty()) {
        batch = host.source().claim(queue.name(), wanted, config.lease(), queue.rules());
      } else {
        batch = claims.claim(shard, queue, wanted, config.lease());
        if (batch == null) {
          ready.leave(queue);
          queue.become(Status.STALLED);
          return 0;
        }
      }
      shards.outages().worked(shard);
    } catch (BrokerRefusedException e) {
      refused(queue, e);
      return 0;
    }
    granted(queue, batch);
    return batch.claims().size();
  }

  /** This queue is broken, or forbidden; the others are served all the same. */
  private void refused(QueueClaimState queue, BrokerRefusedException e) {
    log.error("could not claim tasks of queue {}", queue.name(), e);
    putAside(queue, host.clock().instant().plus(LONGEST_PAUSE));
  }

  /** What a server has answered after the time that the others may be kept waiting. */
  private void answered(ShardClaimer.Answer answer) {
    QueueClaimState queue = answer.queue();
    ClaimBatch batch = answer.batch();
    boolean isServed = served.get(queue.name()) == queue;
    if (answer.error() instanceof BrokerRefusedException e && isServed) {
      refused(queue, e);
    } else if (batch == null) {
      if (isServed) {
        makeReady(queue);
      }
    } else {
      int room = isServed && !stopped ? Math.max(0, free()) : 0;
      if (batch.claims().size() > room) {
        ClaimBatch kept = ShardClaimer.first(room, batch);
        ShardClaimer.Answer rest = answer.with(kept);
        claims.giveBack(batch, room);
        unhandled = rest;
        batch = kept;
      }
      if (isServed) {
        makeReady(queue);
        granted(queue, batch);
      }
    }
  }

  private void granted(QueueClaimState queue, ClaimBatch batch) {
    if (!batch.claims().isEmpty() && !queues.weights().containsKey(queue.name())) {
      // The queue was removed while the call was under way.
      claims.giveBack(batch, 0);
      unhandled = null;
      leaveReady(queue, Status.EMPTY);
      return;
    }
    boolean placesWatched = queue.status() == Status.FULL_WATCHED;
    if (!batch.claims().isEmpty()) {
      unstarted.addAll(batch.claims());
      unhandled = null;
      extendSoonIfShort(batch.claims().get(0));
      queue.gotSomething();
      host.events().claimed(queue.name(), batch.claims().size());
      startAll();
    }
    switch (batch.rest()) {
      case MORE -> queue.become(Status.READY);
      case EMPTY -> leaveReady(queue, Status.EMPTY);
      case PAUSED -> leaveReady(queue, Status.PAUSED);
      case FULL -> {
        foundLimited(queue);
        leaveReady(queue, Status.FULL);
        if (placesWatched && batch.claims().isEmpty()) {
          unwatched.remove(queue);
          queue.become(Status.WATCHED);
        }
      }
      case HELD -> {
        foundLimited(queue);
        putAside(queue, batch.heldUntil());
      }
    }
  }

  /**
   * A claim whose answer had been lost was granted a while ago: its lease may end before the next
   * heartbeats.
   */
  private void extendSoonIfShort(Claim claim) {
    Duration enough = config.heartbeat().multipliedBy(2);
    Duration usual = config.lease().minus(config.heartbeat());
    Instant now = host.clock().instant();
    if (claim.leasedUntil().isBefore(now.plus(enough.compareTo(usual) < 0 ? enough : usual))) {
      shortLease.run();
    }
  }

  private void foundLimited(QueueClaimState queue) {
    limited.add(queue.name());
  }

  private void putAside(QueueClaimState queue, @Nullable Instant until) {
    ready.leave(queue);
    queue.holdUntil(until);
    held.add(queue);
  }

  /** A task of this queue has been settled: where running tasks are counted, there is a place. */
  public void settled(QueueName queue) {
    if (limited.contains(queue)) {
      woken.add(queue);
      signal.raise();
    }
  }

  /** A claim stays until its attempt has been handed to a worker, whatever error comes. */
  private void startAll() {
    for (Claim claim = unstarted.peek(); claim != null; claim = unstarted.peek()) {
      start(claim);
      unstarted.remove();
    }
  }

  private void start(Claim claim) {
    Attempt attempt;
    try {
      attempt = new Attempt(++attemptNumber, claim, host);
    } catch (RuntimeException e) {
      // A message that can be read and makes no sense, such as one without a type.
      log.error("task {} of queue {} is archived", LogText.name(claim.id()), claim.queue(), e);
      settler.addUnattempted(OutcomePolicy.refused(claim, e));
      return;
    }
    attempts.add(attempt);
    if (!workers.start(attempt)) {
      rejected = true;
      attempt.giveBack();
    }
  }
}
