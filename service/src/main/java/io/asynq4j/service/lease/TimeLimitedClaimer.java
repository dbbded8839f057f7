package io.asynq4j.service.lease;

import io.asynq4j.handler.Outcome;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.lease.TaskLeases.LeaseBatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Claims tasks so that a Redis server of a cluster that is slow or silent delays only its own
 * queues. A claim is made on another thread, and the caller waits for it a short time. The tasks of
 * a late reply are kept for the next caller that claims from the queue, and requeued when there is
 * none. After a late reply, no caller waits for the server until it answers in time again. Where
 * one server has all queues, the caller makes the claim itself and waits for it. Thread-safe.
 */
public final class TimeLimitedClaimer implements AutoCloseable {

  private static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Time for which a late reply is kept for a caller. */
  private static final Duration KEEP = Duration.ofSeconds(2);

  /** The store of the tasks. */
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
  private final ClaimExecutor executor;
  private final Function<String, ServerClaims> newServer;
  private final Map<String, ServerClaims> servers = new ConcurrentHashMap<>();

  /**
   * @param tryAgain called with queues for which {@link #claim} returned null, when it may return
   *     tasks; on another thread
   */
  public TimeLimitedClaimer(Supplier<TaskLeases> leases, Consumer<Set<String>> tryAgain) {
    this(new LeaseSource(leases), tryAgain, TIMEOUT_NANOS, KEEP);
  }

  TimeLimitedClaimer(
      Source source, Consumer<Set<String>> tryAgain, long timeoutNanos, Duration keep) {
    this.source = source;
    this.executor = new ClaimExecutor(source);
    this.newServer = name -> new ServerClaims(name, executor, tryAgain, timeoutNanos, keep);
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
        : servers.computeIfAbsent(name, newServer).claim(queue, max, lease);
  }

  /** Returns tasks to their queue that no worker can be given, on another thread. */
  public void requeue(String queue, List<LeasedTask> tasks) {
    executor.requeueLater(queue, tasks);
  }

  /** Makes no more claims. Tasks that are kept, or claimed from now on, return to their queue. */
  @Override
  public void close() {
    servers.values().forEach(ServerClaims::close);
    executor.close();
  }
}
