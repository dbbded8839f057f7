package io.asynq4j.service.lease;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.LeaseBatch;
import io.asynq4j.lease.LeaseOutcome;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims tasks so that a Redis server of a cluster that is slow or silent delays only its own
 * queues. A claim is made on another thread, and the caller waits for it a short time. A late
 * answer is kept for the next caller that claims from the queue, and returned to the queue when
 * none does. After a late answer, no caller waits for the server until it answers in time again.
 * Where one server has all queues, the caller makes the claim itself and waits for it. Thread-safe.
 */
public final class TimeLimitedClaimer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(TimeLimitedClaimer.class);

  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** How long a late answer is kept for a caller. */
  private static final Duration KEEP = Duration.ofSeconds(2);

  private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Maximum number of calls to a slow server at a time: each occupies a thread. */
  private static final int MAX_LATE_CALLS = 8;

  private static final long IDLE_SECONDS = 10;

  /** Where tasks come from. */
  interface Source {

    /** The server that has the queue; empty when one server has all queues. */
    String serverOf(String queue);

    LeaseBatch claim(String queue, int max, Duration lease);

    void requeue(List<LeasedTask> tasks);
  }

  private record LeaseSource(Supplier<TaskLeases> leases) implements Source {
    @Override
    public String serverOf(String queue) {
      return leases.get().serverOf(queue);
    }

    @Override
    public LeaseBatch claim(String queue, int max, Duration lease) {
      return leases.get().claimBatch(queue, max, lease);
    }

    @Override
    public void requeue(List<LeasedTask> tasks) {
      leases
          .get()
          .settle(tasks.stream().map(task -> new LeaseOutcome(task, Outcome.requeue())).toList());
    }
  }

  private final Source source;
  private final Consumer<Set<String>> tryAgain;
  private final long patienceNanos;
  private final Duration keep;
  private final Map<String, Server> servers = new ConcurrentHashMap<>();
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          TimeLimitedClaimer::daemon);
  private volatile boolean closed;

  /**
   * @param tryAgain called with queues for which {@link #claim} returned null, when it may return
   *     tasks; on another thread
   */
  public TimeLimitedClaimer(Supplier<TaskLeases> leases, Consumer<Set<String>> tryAgain) {
    this(new LeaseSource(leases), tryAgain, PATIENCE_NANOS, KEEP);
  }

  TimeLimitedClaimer(
      Source source, Consumer<Set<String>> tryAgain, long patienceNanos, Duration keep) {
    SafeLog.prepare();
    this.source = source;
    this.tryAgain = tryAgain;
    this.patienceNanos = patienceNanos;
    this.keep = keep;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-claim");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Claims as {@link TaskLeases#claimBatch} does. Returns null when the server of the queue, one of
   * several, has not answered yet; then the queue is reported later.
   *
   * @throws io.asynq4j.BrokerException when Redis refuses the claim, or when the only server does
   *     not answer
   */
  public @Nullable LeaseBatch claim(String queue, int max, Duration lease) {
    String name = source.serverOf(queue);
    return name.isEmpty()
        ? source.claim(queue, max, lease)
        : servers.computeIfAbsent(name, Server::new).claim(queue, max, lease);
  }

  /** Returns tasks to their queue that no worker can be given, on another thread. */
  public void requeue(String queue, List<LeasedTask> tasks) {
    after(0, () -> requeueNow(queue, tasks));
  }

  /** Makes no more claims. Tasks that are kept, or claimed from now on, return to their queue. */
  @Override
  public void close() {
    closed = true;
    servers.values().forEach(Server::expireAll);
    threads.shutdown();
  }

  /** One server of a cluster. */
  private final class Server {
    private final String name;

    // All guarded by this.

    /** Calls for which no caller waits, under way or answered, by queue. */
    private final Map<String, Call> late = new HashMap<>();

    /** Queues to report that have no call of their own. */
    private final Set<String> unasked = new LinkedHashSet<>();

    /** Whether the last answer was late, or is missing: then no caller waits. */
    private boolean slow;

    private boolean rests;
    private long restNanos = FIRST_REST_NANOS;

    Server(String name) {
      this.name = name;
    }

    @Nullable LeaseBatch claim(String queue, int max, Duration lease) {
      Call kept;
      synchronized (this) {
        kept = late.get(queue);
        if (kept != null && !kept.isDone()) {
          return null;
        }
        late.remove(queue);
      }
      LeaseBatch batch = kept == null ? null : taken(kept, max, lease);
      return batch != null ? batch : ask(queue, max, lease);
    }

    /** What an earlier call claimed, if it fits. */
    private @Nullable LeaseBatch taken(Call kept, int max, Duration lease) {
      LeaseBatch batch;
      try {
        batch = kept.answer();
      } catch (BrokerUnavailableException e) {
        return null;
      }
      List<LeasedTask> tasks = batch.tasks();
      int fitting = kept.isLeasedFor(lease) ? Math.min(max, tasks.size()) : 0;
      if (fitting == tasks.size()) {
        return batch;
      }
      List<LeasedTask> rest = List.copyOf(tasks.subList(fitting, tasks.size()));
      requeue(kept.queue, rest);
      return fitting == 0
          ? null
          : new LeaseBatch(List.copyOf(tasks.subList(0, fitting)), batch.heldUntil());
    }

    private @Nullable LeaseBatch ask(String queue, int max, Duration lease) {
      Call call = new Call(this, queue, max, lease);
      boolean waits;
      synchronized (this) {
        if (rests || (slow && callsUnderWay() >= MAX_LATE_CALLS)) {
          unasked.add(queue);
          return null;
        }
        waits = !slow;
        if (!waits) {
          becomeLate(call);
        }
      }
      try {
        threads.execute(call);
      } catch (RuntimeException | Error e) {
        synchronized (this) {
          late.remove(queue, call);
        }
        throw new BrokerUnavailableException("there is no thread to claim tasks on", false, e);
      }
      if (!waits || (!isAnswered(call) && isAbandoned(call))) {
        return null;
      }
      try {
        return call.answer();
      } catch (BrokerUnavailableException e) {
        failed(queue);
        return null;
      }
    }

    /** Each of them reports the queues that wait when it ends; answers that are kept do not. */
    private long callsUnderWay() {
      return late.values().stream().filter(call -> !call.isDone()).count();
    }

    private boolean isAnswered(Call call) {
      try {
        call.get(patienceNanos, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      } catch (ExecutionException e) {
        // Part of the answer.
      }
      return true;
    }

    /** False when it is answered after all. */
    private synchronized boolean isAbandoned(Call call) {
      if (call.isDone()) {
        return false;
      }
      if (!Thread.currentThread().isInterrupted()) {
        becomeSlow();
      }
      becomeLate(call);
      return true;
    }

    /** Of several calls for a queue, one is kept; the tasks of the others return to the queue. */
    private void becomeLate(Call call) {
      call.isSurplus = late.putIfAbsent(call.queue, call) != null;
      call.isLate = true;
    }

    private void becomeSlow() {
      if (!slow) {
        slow = true;
        log.warn("Redis at {} does not answer in time: workers of its queues wait longer", name);
      }
    }

    /** A call for which no caller waits is done. */
    void answeredLate(Call call) {
      boolean isAvailable = true;
      try {
        call.answer();
      } catch (BrokerUnavailableException e) {
        isAvailable = false;
      } catch (RuntimeException e) {
        // Part of the answer: the next caller gets it.
        log.debug("tasks of queue {} cannot be claimed", call.queue, e);
      }
      if (isAvailable) {
        answers(System.nanoTime() - call.started);
        after(call.isSurplus || closed ? 0 : keepNanos(call), () -> expire(call));
        report(call.queue);
      } else {
        synchronized (this) {
          late.remove(call.queue, call);
        }
        failed(call.queue);
      }
    }

    private long keepNanos(Call call) {
      Duration part = call.lease.dividedBy(4);
      return (part.compareTo(keep) < 0 ? part : keep).toNanos();
    }

    private synchronized void answers(long nanos) {
      restNanos = FIRST_REST_NANOS;
      if (slow && nanos < patienceNanos) {
        slow = false;
        log.info("Redis at {} answers in time again", name);
      }
    }

    private void report(@Nullable String answered) {
      Set<String> queues;
      synchronized (this) {
        queues = new LinkedHashSet<>(unasked);
        unasked.clear();
      }
      if (answered != null) {
        queues.add(answered);
      }
      if (!queues.isEmpty()) {
        tryAgain.accept(queues);
      }
    }

    /** The queue is reported after a rest, and so are those that are claimed from meanwhile. */
    private void failed(String queue) {
      long rest;
      synchronized (this) {
        becomeSlow();
        unasked.add(queue);
        if (rests) {
          return;
        }
        rests = true;
        rest = restNanos;
        restNanos = Math.min(2 * restNanos, LONGEST_REST_NANOS);
      }
      after(rest, this::rested);
    }

    private void rested() {
      synchronized (this) {
        rests = false;
      }
      report(null);
    }

    /** No caller has come for the answer. */
    private void expire(Call call) {
      boolean isKept;
      synchronized (this) {
        isKept = late.remove(call.queue, call);
      }
      if (isKept || call.isSurplus) {
        requeueNow(call.queue, call.answer().tasks());
      }
    }

    void expireAll() {
      List<Call> calls;
      synchronized (this) {
        calls = List.copyOf(late.values());
      }
      for (Call call : calls) {
        if (call.isDone()) {
          after(0, () -> expire(call));
        }
      }
    }
  }

  /** Runs an action on another thread, or on this one where none can be had. */
  private void after(long nanos, Runnable action) {
    Runnable guarded =
        () -> {
          try {
            action.run();
          } catch (RuntimeException | Error e) {
            SafeLog.error(log, "a late answer of Redis could not be handled", e);
          }
        };
    try {
      if (nanos > 0) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, this::onThread)
            .execute(guarded);
      } else {
        onThread(guarded);
      }
    } catch (RuntimeException | Error e) {
      guarded.run();
    }
  }

  private void onThread(Runnable action) {
    try {
      threads.execute(action);
    } catch (RuntimeException | Error e) {
      action.run();
    }
  }

  private void requeueNow(String queue, List<LeasedTask> tasks) {
    if (tasks.isEmpty()) {
      return;
    }
    try {
      source.requeue(tasks);
    } catch (RuntimeException e) {
      log.warn(
          "{} tasks of queue {} were claimed too late and wait for the end of their lease",
          tasks.size(),
          queue,
          e);
    }
  }

  /** A claim, from its start until its answer is fetched or has expired. */
  private final class Call extends FutureTask<LeaseBatch> {
    private final Server server;
    private final String queue;
    private final Duration lease;
    private final long started = System.nanoTime();

    /** No caller waits for it. Guarded by the server. */
    private boolean isLate;

    /** Another call for the queue is kept for callers. Set before it is late. */
    private boolean isSurplus;

    Call(Server server, String queue, int max, Duration lease) {
      super(() -> source.claim(queue, max, lease));
      this.server = server;
      this.queue = queue;
      this.lease = lease;
    }

    /** Whether most of the lease that is asked for is left. */
    boolean isLeasedFor(Duration asked) {
      Duration age = Duration.ofNanos(System.nanoTime() - started);
      return lease.equals(asked) && age.compareTo(lease.dividedBy(2)) < 0;
    }

    @Override
    protected void done() {
      boolean late;
      synchronized (server) {
        late = isLate;
      }
      if (late) {
        server.answeredLate(this);
      }
    }

    /** Of a call that is done. */
    LeaseBatch answer() {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            return get();
          } catch (InterruptedException e) {
            interrupted = true;
          } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
              throw cause;
            }
            throw new IllegalStateException("tasks of queue " + queue + " cannot be claimed", e);
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
