package io.asynq4j.testing;

import io.asynq4j.QueueName;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.testing.internal.TestRedis;
import io.asynq4j.testing.internal.TestWorker;
import io.asynq4j.testing.internal.TimeMachine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * The attempts of {@link TestQueues#drain}, in order. Methods that continue, such as {@link
 * #recursively}, add their attempts to this report. Not thread-safe.
 */
public final class DrainReport {

  /** Number of attempts listed at the beginning and at the end of a long report. */
  private static final int LISTED = 30;

  private final TestWorker worker;
  private final TimeMachine time;
  private final TestRedis process;
  private final List<QueueName> only;
  private final int mostAttempts;
  private List<QueueName> queues = List.of();
  private final List<DrainedAttempt> attempts = new ArrayList<>();
  private final List<Throwable> aggregationFailures = new ArrayList<>();

  /** Why the queues have pending tasks that cannot be claimed. */
  private final Map<QueueName, ClaimBatch> blocked =
      new TreeMap<>(Comparator.comparing(QueueName::value));

  /**
   * @param mostAttempts number of attempts that is most likely an endless loop
   */
  DrainReport(
      TestWorker worker,
      TimeMachine time,
      TestRedis process,
      List<QueueName> only,
      int mostAttempts) {
    this.worker = worker;
    this.time = time;
    this.process = process;
    this.only = only;
    this.mostAttempts = mostAttempts;
    worker.requireHandlers();
    worker.readDefinitions();
  }

  /** Runs the tasks that are pending now. */
  void drainOnce() {
    begin();
    Map<QueueName, Long> left = new LinkedHashMap<>();
    queues.forEach(queue -> left.put(queue, worker.pending(queue)));
    Predicate<QueueName> isLeft = queue -> left.getOrDefault(queue, 0L) > 0;
    for (Optional<QueueName> queue = runNext(isLeft); queue.isPresent(); queue = runNext(isLeft)) {
      left.merge(queue.get(), -1L, Long::sum);
      if (wasRequeued()) {
        left.remove(queue.get());
      }
    }
  }

  /** A requeued task is at the head of its queue again. */
  private boolean wasRequeued() {
    Outcome outcome = attempts.isEmpty() ? null : attempts.get(attempts.size() - 1).outcome();
    return outcome != null && outcome.kind() == Outcome.Kind.REQUEUE;
  }

  /** Also runs the tasks that were enqueued meanwhile, until no task is pending. */
  public DrainReport recursively() {
    begin();
    while (runNext(queue -> true).isPresent()) {
      begin();
    }
    return this;
  }

  /**
   * Runs pending tasks, including those that are enqueued meanwhile, until the condition holds.
   *
   * @throws AssertionError if no task is left and the condition does not hold
   */
  public DrainReport until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      begin();
      if (runNext(queue -> true).isEmpty()) {
        throw new AssertionFailedError(
            "No task is pending, and the condition does not hold.\n" + this);
      }
    }
    return this;
  }

  /**
   * Runs all tasks, and whenever none is pending, moves the clock to the next event: a due task,
   * the end of a lease or of a rate limit, a group that is ready, or an instant of a schedule
   * entry. Stops when nothing is left to wait for, or after this time.
   *
   * <pre>{@code
   * tasks.drain().advancing(ofDays(60)); // runs all retries of a failing task
   * }</pre>
   */
  public DrainReport advancing(Duration most) {
    if (most.isNegative()) {
      throw new IllegalArgumentException(
          "the duration must not be negative, got " + most + ": time only moves forward");
    }
    Instant end = time.after(TimeMath.min(most, TimeMachine.LONGEST));
    recursively();
    for (Instant next = next(end); next != null; next = next(end)) {
      time.moveTo(next);
      recursively();
    }
    return this;
  }

  private @Nullable Instant next(Instant end) {
    Stream<Instant> held =
        blocked.values().stream().flatMap(batch -> Stream.ofNullable(batch.heldUntil()));
    return Stream.concat(time.nextEvent().stream(), held)
        .filter(event -> event.isAfter(process.now()) && !event.isAfter(end))
        .min(Instant::compareTo)
        .orElse(null);
  }

  private void begin() {
    if (attempts.size() >= mostAttempts) {
      throw new IllegalStateException(
          "%,d attempts have not emptied the queues: a handler may enqueue or requeue its own task without end; the last attempt was %s"
              .formatted(attempts.size(), attempts.get(attempts.size() - 1)));
    }
    blocked.clear();
    time.catchUp();
    queues = only.isEmpty() ? process.queues() : only;
    List<Throwable> thrown = worker.aggregate(queues);
    aggregationFailures.addAll(thrown);
    for (Throwable error : thrown) {
      if (error instanceof AssertionError failed) {
        throw failed;
      }
    }
  }

  /** Runs the task that has been pending longest. Returns its queue; empty if there is none. */
  private Optional<QueueName> runNext(Predicate<QueueName> eligible) {
    while (true) {
      Optional<QueueName> next =
          worker.longestPending(
              queues.stream()
                  .filter(queue -> eligible.test(queue) && !blocked.containsKey(queue))
                  .toList());
      if (next.isEmpty()) {
        return next;
      }
      ClaimBatch batch = worker.claim(next.get());
      if (!batch.claims().isEmpty()) {
        Claim claim = batch.claims().get(0);
        attempts.add(worker.run(claim));
        worker.rethrowAssertionError();
        return next;
      }
      blocked.put(next.get(), batch);
    }
  }

  /** Returns all attempts, in order. */
  public List<DrainedAttempt> attempts() {
    return List.copyOf(attempts);
  }

  /** Returns the attempts of tasks of this type, in order. */
  public List<DrainedAttempt> attempts(TaskType<?> type) {
    return attempts.stream().filter(each -> each.type().equals(type.name())).toList();
  }

  /** Returns the number of attempts. */
  public int size() {
    return attempts.size();
  }

  /**
   * Asserts that there was an attempt, and that none failed or crashed.
   *
   * @throws AssertionError otherwise, with the first failure as its cause
   */
  public DrainReport assertSucceeded() {
    Optional<DrainedAttempt> failed =
        attempts.stream().filter(attempt -> !attempt.succeeded()).findFirst();
    if (attempts.isEmpty()) {
      throw new AssertionFailedError("No task was pending.\n" + this);
    } else if (failed.isPresent()) {
      throw new AssertionFailedError(
          "Attempts failed or crashed, first %s.\n%s".formatted(failed.get(), this),
          failed.get().error());
    } else if (!aggregationFailures.isEmpty()) {
      throw new AssertionFailedError("An aggregator failed.\n" + this, aggregationFailures.get(0));
    }
    return this;
  }

  /**
   * Returns one line per attempt, and why tasks were left. Of many attempts, only the first and the
   * last are listed.
   */
  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(
            attempts.size() == 1 ? "1 attempt:" : "%,d attempts:".formatted(attempts.size()));
    int omitted = Math.max(0, attempts.size() - 2 * LISTED);
    for (int i = 0; i < attempts.size(); i++) {
      if (omitted > 0 && i == LISTED) {
        text.append("\n  … %,d more".formatted(omitted));
        i += omitted;
      }
      text.append("\n  ").append(i + 1).append(". ").append(attempts.get(i));
    }
    aggregationFailures.forEach(error -> text.append("\naggregator failed: ").append(error));
    blocked.forEach(
        (queue, batch) ->
            text.append(
                "\nqueue %s has pending tasks that cannot be claimed: %s"
                    .formatted(queue, reason(batch))));
    return text.toString();
  }

  private static String reason(ClaimBatch batch) {
    return switch (batch.rest()) {
      case PAUSED -> "it is paused";
      case FULL -> "its limit of active tasks is reached";
      case HELD ->
          "a rate limit or a failed task of an ordered queue holds it until " + batch.heldUntil();
      case EMPTY, MORE -> "its tasks cannot be read";
    };
  }
}
