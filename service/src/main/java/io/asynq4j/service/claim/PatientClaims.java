package io.asynq4j.service.claim;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.lease.LeaseBatch;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.lease.Verdict;
import io.asynq4j.service.SafeLog;
import java.time.Duration;
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
 * Claims tasks so that a Redis server of a cluster that does not answer delays only its own queues.
 * A claim is made on another thread, and the caller waits for it a short time. Tasks that are
 * claimed when the caller no longer waits go back to their queue at once. Where one server has all
 * queues, the caller makes the claim itself and waits for it. Thread-safe.
 */
public final class PatientClaims implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PatientClaims.class);

  private static final long SHORTEST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long LONGEST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long IDLE_SECONDS = 10;

  /** A probe's tasks go back at once, or when this has passed. */
  private static final Duration PROBE_LEASE = Duration.ofSeconds(10);

  private final Supplier<TaskLeases> leases;
  private final Consumer<Set<String>> tryAgain;
  private final Map<String, Server> servers = new ConcurrentHashMap<>();
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          PatientClaims::daemon);
  private volatile boolean closed;

  /**
   * @param tryAgain called with queues for which {@link #claim} returned null, once their server
   *     answers; on a thread of its own
   */
  public PatientClaims(Supplier<TaskLeases> leases, Consumer<Set<String>> tryAgain) {
    SafeLog.prepare();
    this.leases = leases;
    this.tryAgain = tryAgain;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-claim");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Claims as {@link TaskLeases#claimBatch} does. Null when the server of the queue, one of
   * several, does not answer: then the queue is reported when it does.
   *
   * @throws io.asynq4j.BrokerException when Redis refuses the claim, or when the only server there
   *     is does not answer
   */
  public @Nullable LeaseBatch claim(String queue, int max, Duration lease) {
    TaskLeases current = leases.get();
    String name = current.serverOf(queue);
    return name.isEmpty()
        ? current.claimBatch(queue, max, lease)
        : servers.computeIfAbsent(name, Server::new).claim(queue, max, lease);
  }

  /** Claims nothing more for itself. What is claimed from now on still goes back. */
  @Override
  public void close() {
    closed = true;
    threads.shutdown();
  }

  /** One server of a cluster. */
  private final class Server {
    private final String name;

    // All guarded by this. While the server is silent, a call is under way, or will be after a
    // rest.
    private final Set<String> unanswered = new LinkedHashSet<>();
    private boolean silent;
    private int callsNotWaitedFor;
    private long patienceNanos = SHORTEST_PATIENCE_NANOS;
    private long restNanos = FIRST_REST_NANOS;

    Server(String name) {
      this.name = name;
    }

    @Nullable LeaseBatch claim(String queue, int max, Duration lease) {
      long patience;
      synchronized (this) {
        if (silent) {
          unanswered.add(queue);
          return null;
        }
        patience = patienceNanos;
      }
      Call call = new Call(this, queue, max, lease);
      try {
        threads.execute(call);
      } catch (RuntimeException | Error e) {
        throw new BrokerUnavailableException("there is no thread to claim tasks on", false, e);
      }
      if (!isAnswered(call, patience) && abandon(call)) {
        return null;
      }
      return answeredInTime(call);
    }

    private static boolean isAnswered(Call call, long patience) {
      try {
        call.get(patience, TimeUnit.NANOSECONDS);
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

    /** False when it is done, so that its caller can have the answer. */
    private synchronized boolean abandon(Call call) {
      if (call.isDone()) {
        return false;
      }
      call.abandoned = true;
      callsNotWaitedFor++;
      fallsSilent(call.queue);
      return true;
    }

    private void fallsSilent(String queue) {
      unanswered.add(queue);
      if (!silent) {
        silent = true;
        log.warn(
            "Redis at {} does not answer: nothing is claimed from its queues until it does", name);
      }
    }

    private @Nullable LeaseBatch answeredInTime(Call call) {
      try {
        LeaseBatch batch = call.answer();
        synchronized (this) {
          patienceNanos = Math.max(SHORTEST_PATIENCE_NANOS, patienceNanos - patienceNanos / 8);
        }
        return batch;
      } catch (BrokerUnavailableException e) {
        failed(call.queue);
        return null;
      }
    }

    /** A call that nobody waits for is done. */
    void answeredLate(Call call) {
      synchronized (this) {
        callsNotWaitedFor--;
      }
      try {
        giveBack(call.queue, call.answer().tasks());
      } catch (BrokerUnavailableException e) {
        failed(call.queue);
        return;
      } catch (RuntimeException | Error e) {
        // Whoever tries the queue again gets it too.
        log.debug("tasks of queue {} cannot be claimed", call.queue, e);
      }
      answers(System.nanoTime() - call.started);
      mayBeAsked();
    }

    private synchronized void answers(long nanos) {
      if (silent) {
        log.info("Redis at {} answers again", name);
      }
      restNanos = FIRST_REST_NANOS;
      // Else a server that always takes longer would never be waited for long enough.
      patienceNanos = Math.max(patienceNanos, Math.min(2 * nanos, LONGEST_PATIENCE_NANOS));
    }

    private void mayBeAsked() {
      Set<String> queues;
      synchronized (this) {
        silent = false;
        queues = Set.copyOf(unanswered);
        unanswered.clear();
      }
      if (!queues.isEmpty()) {
        tryAgain.accept(queues);
      }
    }

    /** Tries this queue after a rest, until the server answers. */
    private void failed(String queue) {
      long rest;
      synchronized (this) {
        fallsSilent(queue);
        if (callsNotWaitedFor > 0) {
          return;
        }
        callsNotWaitedFor++;
        rest = restNanos;
        restNanos = Math.min(2 * restNanos, LONGEST_REST_NANOS);
      }
      try {
        CompletableFuture.delayedExecutor(rest, TimeUnit.NANOSECONDS, this::executeProbe)
            .execute(() -> probe(queue));
      } catch (RuntimeException | Error e) {
        notProbed(e);
      }
    }

    private void executeProbe(Runnable probe) {
      try {
        threads.execute(probe);
      } catch (RuntimeException | Error e) {
        notProbed(e);
      }
    }

    /** Without a probe under way, the next caller asks. */
    private void notProbed(Throwable error) {
      synchronized (this) {
        callsNotWaitedFor--;
      }
      if (!closed) {
        SafeLog.error(log, "a Redis that did not answer could not be asked again", error);
        mayBeAsked();
      }
    }

    private void probe(String queue) {
      Call call;
      try {
        call = new Call(this, queue, 1, PROBE_LEASE);
        call.abandoned = true;
      } catch (RuntimeException | Error e) {
        notProbed(e);
        return;
      }
      call.run();
    }
  }

  private void giveBack(String queue, List<LeasedTask> tasks) {
    if (tasks.isEmpty()) {
      return;
    }
    try {
      leases.get().settle(tasks.stream().map(Verdict.Release::new).toList());
    } catch (RuntimeException e) {
      log.warn(
          "{} tasks of queue {} were claimed too late and wait for the end of their lease",
          tasks.size(),
          queue,
          e);
    }
  }

  /** A claim under way. */
  private final class Call extends FutureTask<LeaseBatch> {
    private final Server server;
    private final String queue;
    private final long started = System.nanoTime();

    /** Nobody waits for it. Guarded by the server. */
    private boolean abandoned;

    Call(Server server, String queue, int max, Duration lease) {
      super(() -> leases.get().claimBatch(queue, max, lease));
      this.server = server;
      this.queue = queue;
    }

    @Override
    protected void done() {
      boolean isLate;
      synchronized (server) {
        isLate = abandoned;
      }
      if (isLate) {
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
