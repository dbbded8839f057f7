package io.asynq4j.service.lease;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.LeaseBatch;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.QueueWatch;
import io.asynq4j.lease.TaskLeases;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where workers of other processes wait for tasks: however many do, one thread and one watch see to
 * them. A task is told to a waiting worker when it has been claimed for it, with its data, so no
 * worker is ever told of one that it cannot have. A Redis server of a cluster that does not answer
 * delays only those who wait for nothing but its queues. Thread-safe.
 */
public final class LeaseDispatcher implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(LeaseDispatcher.class);

  /**
   * How often those who wait are looked for tasks although nothing was told. Everything is told, so
   * this is only for what Redis, its user or a proxy does not tell: then this is how late a task is
   * told.
   */
  public static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private static final long PAUSE_AFTER_FAILURE_MILLIS = 200;

  /** A queue that is held for longer is asked again after this time. */
  private static final long LONGEST_HOLD_MILLIS = Duration.ofDays(1).toMillis();

  /** How long a worker that does not want to wait waits for a Redis server that does not answer. */
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(2);

  /** With more, it is asked at once which of them have tasks at all. */
  private static final int FEW_QUEUES = 3;

  /**
   * A worker that waits.
   *
   * @param unanswered of a worker that does not want to wait, the queues whose Redis server has not
   *     answered yet; null for the others. Guarded by the desk
   */
  private record Poll(
      List<String> queues,
      int max,
      Duration lease,
      long until,
      @Nullable Set<String> unanswered,
      CompletableFuture<List<LeasedTask>> answer) {}

  private final Clock clock;
  private final Executor answers;
  private final long lookNanos;
  private final TimeLimitedClaimer claims;
  private final QueueWatch watch;
  private final Thread thread;

  // All guarded by this.
  private final List<Poll> waiting = new ArrayList<>();
  private final Set<String> changed = new LinkedHashSet<>();

  /** Queues that give nothing before a time, and which it is by {@code System.nanoTime()}. */
  private final Map<String, Long> held = new HashMap<>();

  private boolean lookAtAll;
  private boolean closed;

  private long lastLook = System.nanoTime();

  /**
   * @param answers where answers are sent, which a slow worker may hold up
   * @param lookEvery how often it looks although nothing was told
   */
  public LeaseDispatcher(
      Supplier<TaskLeases> leases, Clock clock, Executor answers, Duration lookEvery) {
    this.lookNanos = lookEvery.toNanos();
    this.clock = clock;
    this.answers = answers;
    this.claims = new TimeLimitedClaimer(leases, this::told);
    this.watch =
        leases
            .get()
            .watch(
                new QueueWatch.Listener() {
                  @Override
                  public void changed(String queue) {
                    told(Set.of(queue));
                  }

                  @Override
                  public void lost() {
                    tellOfAll();
                  }
                });
    this.thread = new Thread(this::run, "asynq-lease-desk");
    thread.setDaemon(true);
    thread.start();
  }

  /** How many requests wait. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /** Tasks of one of these queues; none when none came in time. */
  public CompletionStage<List<LeasedTask>> lease(
      List<String> queues, int max, Duration lease, Duration wait) {
    List<String> order = new ArrayList<>(queues);
    // No name is always the last to be asked.
    Collections.shuffle(order);
    Set<String> unanswered = new HashSet<>();
    List<LeasedTask> found = claim(order, max, lease, wait.isZero(), unanswered);
    if (!found.isEmpty() || (wait.isZero() && unanswered.isEmpty())) {
      return CompletableFuture.completedFuture(found);
    }
    Duration longest = wait.isZero() ? LONGEST_ANSWER : wait;
    Poll poll =
        new Poll(
            wait.isZero() ? List.copyOf(unanswered) : order,
            max,
            lease,
            System.nanoTime() + longest.toNanos(),
            wait.isZero() ? unanswered : null,
            new CompletableFuture<>());
    synchronized (this) {
      if (closed) {
        return CompletableFuture.completedFuture(List.of());
      }
      waiting.add(poll);
      changed.addAll(poll.queues());
      notifyAll();
    }
    return poll.answer();
  }

  /**
   * @param last whether the worker does not wait: then it must hear of each queue that fails
   * @param unanswered gets the queues whose Redis server does not answer
   */
  private List<LeasedTask> claim(
      List<String> queues, int max, Duration lease, boolean last, Set<String> unanswered) {
    List<LeasedTask> tasks = new ArrayList<>();
    Throwable failure = null;
    int failures = 0;
    for (String queue : queues.size() > FEW_QUEUES ? watch.withTasks(queues) : queues) {
      if (tasks.size() < max) {
        try {
          LeaseBatch batch = claims.claim(queue, max - tasks.size(), lease);
          if (batch == null) {
            unanswered.add(queue);
          } else {
            tasks.addAll(batch.tasks());
          }
        } catch (RuntimeException | Error e) {
          // What other queues gave is leased, and must reach the worker.
          SafeLog.warn(log, "tasks of queue {} cannot be claimed: {}", queue, e);
          failure = e;
          failures++;
        }
      }
    }
    if (tasks.isEmpty() && failure != null && (last || failures == queues.size())) {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) failure;
    }
    return tasks;
  }

  private static BrokerUnavailableException notAnswered(Set<String> queues) {
    return new BrokerUnavailableException(
        "the Redis server of " + queues + " does not answer; tasks that it grants go back",
        true,
        new TimeoutException("no answer to a claim"));
  }

  private synchronized void told(Set<String> queues) {
    changed.addAll(queues);
    notifyAll();
  }

  private synchronized void tellOfAll() {
    lookAtAll = true;
    notifyAll();
  }

  private void run() {
    while (true) {
      try {
        Set<String> toTry = await();
        if (toTry == null) {
          return;
        }
        serve(toTry);
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) {
        // Also a lack of memory or of threads: nobody else serves those who wait.
        report(e);
        tellOfAll();
        if (!pause()) {
          return;
        }
      }
    }
  }

  /** Without the stack trace of an outage, which comes again and again. */
  private static void report(Throwable e) {
    if (e instanceof RuntimeException) {
      log.warn("tasks for waiting workers cannot be claimed: {}", e.getMessage());
    } else {
      SafeLog.error(log, "tasks for waiting workers cannot be claimed; that is tried again", e);
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(PAUSE_AFTER_FAILURE_MILLIS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Sleeps until there is something to do; null when the desk is closed. */
  private @Nullable Set<String> await() throws InterruptedException {
    Set<String> all = new HashSet<>();
    Set<String> toTry = new LinkedHashSet<>();
    boolean look;
    boolean forgotten;
    synchronized (this) {
      while (true) {
        if (closed) {
          return null;
        }
        long now = System.nanoTime();
        endExpired(now);
        endHolds(now);
        forgotten = lookAtAll;
        look = !waiting.isEmpty() && now - lastLook >= lookNanos;
        if (look || !changed.isEmpty() || (forgotten && !waiting.isEmpty())) {
          break;
        }
        long sleep = waiting.isEmpty() ? lookNanos : Math.min(lookNanos, untilNext(now));
        wait(Math.max(1, sleep / 1_000_000));
      }
      waiting.forEach(poll -> all.addAll(poll.queues()));
      if (forgotten) {
        // What was armed is no longer, so the empty ones must be armed anew too.
        toTry.addAll(all);
      } else {
        toTry.addAll(changed);
        toTry.retainAll(all);
      }
      changed.clear();
      lookAtAll = false;
    }
    if (look) {
      lastLook = System.nanoTime();
    }
    if (look && !forgotten) {
      toTry.addAll(watch.withTasks(all));
    }
    return toTry;
  }

  private long untilNext(long now) {
    long next = waiting.stream().mapToLong(poll -> poll.until() - now).min().orElse(lookNanos);
    return held.values().stream().mapToLong(until -> until - now).reduce(next, Math::min);
  }

  private void endHolds(long now) {
    Iterator<Map.Entry<String, Long>> holds = held.entrySet().iterator();
    while (holds.hasNext()) {
      Map.Entry<String, Long> hold = holds.next();
      if (hold.getValue() - now <= 0) {
        holds.remove();
        changed.add(hold.getKey());
      }
    }
  }

  private void hold(String queue, Instant until) {
    long millis = Duration.between(clock.instant(), until).toMillis() + 1;
    hold(queue, Math.min(Math.max(1, millis), LONGEST_HOLD_MILLIS));
  }

  private synchronized void hold(String queue, long millis) {
    held.put(queue, System.nanoTime() + Duration.ofMillis(millis).toNanos());
  }

  private void endExpired(long now) {
    Iterator<Poll> polls = waiting.iterator();
    while (polls.hasNext()) {
      Poll poll = polls.next();
      if (poll.until() - now <= 0) {
        end(poll);
        polls.remove();
      }
    }
  }

  /** When this throws, as for want of a thread, the poll has no answer yet. */
  private void end(Poll poll) {
    Set<String> unanswered = poll.unanswered();
    if (unanswered == null || unanswered.isEmpty()) {
      poll.answer().completeAsync(List::of, answers);
    } else {
      BrokerUnavailableException failure = notAnswered(Set.copyOf(unanswered));
      answers.execute(() -> poll.answer().completeExceptionally(failure));
    }
  }

  private synchronized Set<String> unansweredQueues() {
    Set<String> queues = new HashSet<>();
    for (Poll poll : waiting) {
      if (poll.unanswered() != null) {
        queues.addAll(poll.unanswered());
      }
    }
    return queues;
  }

  /** Those who do not want to wait leave, unless the servers of other queues have not answered. */
  private synchronized void gaveNothing(String queue) {
    Iterator<Poll> polls = waiting.iterator();
    while (polls.hasNext()) {
      Poll poll = polls.next();
      Set<String> unanswered = poll.unanswered();
      if (unanswered != null && unanswered.remove(queue) && unanswered.isEmpty()) {
        end(poll);
        polls.remove();
      }
    }
  }

  private void serve(Set<String> queues) {
    Set<String> dry = new HashSet<>();
    if (queues.size() > FEW_QUEUES) {
      // One question tells which are empty, and arms them; claiming from each would be many.
      Set<String> toClaim = new HashSet<>(watch.armEmpty(queues));
      // It does not tell whether the server of a queue has answered at all.
      unansweredQueues().stream().filter(queues::contains).forEach(toClaim::add);
      queues = toClaim;
    }
    for (String queue : queues) {
      if (!drainOrHold(queue)) {
        dry.add(queue);
      }
    }
    if (dry.isEmpty()) {
      return;
    }
    // What comes before the answer is in the answer, what comes later is told.
    Set<String> withTasks = watch.armEmpty(dry);
    if (!withTasks.isEmpty()) {
      // Perhaps there is no place, or a pause: their end is told from now on.
      watch.armBlocked(withTasks);
      withTasks.forEach(this::drainOrHold);
    }
  }

  /** The same, where a queue that fails is tried again after a pause and keeps no other waiting. */
  private boolean drainOrHold(String queue) {
    try {
      return drain(queue);
    } catch (RuntimeException e) {
      log.warn("tasks of queue {} cannot be claimed: {}", queue, e.getMessage());
      hold(queue, PAUSE_AFTER_FAILURE_MILLIS);
      return true;
    }
  }

  /**
   * Gives tasks to those who wait for this queue, until nobody does, or it gives none: false. While
   * its server does not answer it is not asked; it is changed when the server does.
   */
  private boolean drain(String queue) {
    while (true) {
      Poll poll = takeFirst(queue);
      if (poll == null) {
        return true;
      }
      @Nullable LeaseBatch batch;
      try {
        batch = claims.claim(queue, poll.max(), poll.lease());
      } catch (RuntimeException | Error e) {
        putBack(poll);
        throw e;
      }
      if (batch == null || batch.tasks().isEmpty()) {
        putBack(poll);
      } else {
        answer(poll, queue, batch.tasks());
      }
      if (batch == null) {
        return true;
      }
      if (batch.heldUntil() != null) {
        hold(queue, batch.heldUntil());
      }
      if (batch.tasks().isEmpty()) {
        gaveNothing(queue);
        return false;
      }
    }
  }

  /** Where no thread can be had for the answer, the worker waits on and the tasks go back. */
  private void answer(Poll poll, String queue, List<LeasedTask> tasks) {
    try {
      poll.answer().completeAsync(() -> tasks, answers);
    } catch (RuntimeException | Error e) {
      putBack(poll);
      claims.requeue(queue, tasks);
      throw e;
    }
  }

  private synchronized @Nullable Poll takeFirst(String queue) {
    Iterator<Poll> polls = waiting.iterator();
    while (polls.hasNext()) {
      Poll poll = polls.next();
      if (poll.queues().contains(queue)) {
        polls.remove();
        return poll;
      }
    }
    return null;
  }

  private synchronized void putBack(Poll poll) {
    if (closed) {
      poll.answer().completeAsync(List::of, answers);
    } else {
      // It has waited the longest.
      waiting.add(0, poll);
    }
  }

  /** Sends all who wait away; they ask another replica. */
  @Override
  public void close() {
    List<Poll> left;
    synchronized (this) {
      closed = true;
      left = List.copyOf(waiting);
      waiting.clear();
      notifyAll();
    }
    left.forEach(poll -> poll.answer().completeAsync(List::of, answers));
    try {
      thread.join(Duration.ofSeconds(5).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    watch.close();
    claims.close();
  }
}
