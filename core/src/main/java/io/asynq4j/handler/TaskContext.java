package io.asynq4j.handler;

import io.asynq4j.QueueName;
import io.asynq4j.codec.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The current attempt of a handler: its task, deadline, cancellation, progress and results.
 * Thread-safe while the attempt lasts.
 *
 * <pre>{@code
 * for (int i = 0; i < rows.size() && context.cancelled().isEmpty(); i++) {
 *   importRow(rows.get(i));
 *   context.progress(100 * i / rows.size(), "importing");
 * }
 * }</pre>
 */
public interface TaskContext {

  /** Returns the ID of the task. */
  String id();

  /** Returns the queue of the task. */
  QueueName queue();

  /** Returns the type of the task. */
  String type();

  /** Returns the number of retries before this attempt: 0 for the first one. */
  int retryCount();

  /** Returns the maximum number of retries. */
  int maxRetry();

  /** Returns whether no retries are left, so that the task is archived if this attempt fails. */
  default boolean isLastAttempt() {
    return retryCount() >= maxRetry();
  }

  /** Returns the headers of the task. */
  Map<String, String> headers();

  /** Returns when the attempt times out. */
  Instant deadline();

  /** Returns the time until the deadline; never negative. */
  Duration timeLeft();

  /** Returns why the attempt was cancelled; empty if it was not. Its thread is interrupted too. */
  Optional<CancelReason> cancelled();

  /**
   * Registers a callback for the cancellation of the attempt. It is called at once if the attempt
   * is already cancelled. It runs on a thread of the server and must return quickly.
   */
  void onCancel(Runnable action);

  /** The reason of a cancellation. */
  enum CancelReason {
    /** The attempt exceeded its timeout, or its deadline has passed. */
    DEADLINE,
    /** An operator requested it. */
    REQUESTED,
    /** The lease was lost: another worker may be running the task. */
    LEASE_LOST,
    /** The server stops, and its shutdown timeout has passed. */
    SHUTDOWN
  }

  /** Returns the codec of the server for inputs and results. */
  default PayloadCodec codec() {
    return PayloadCodec.json();
  }

  /**
   * Stores a result with the task while it runs, replacing an earlier one.
   *
   * @throws IllegalStateException if the lease is lost
   */
  void writeResult(@Nullable Object result);

  /**
   * Reports the progress of the attempt, which {@code TaskInfo} shows. Returns at once: this value,
   * or a later one, is written within a fraction of a second, and the last value of an attempt is
   * always written. Failures to write it are logged.
   *
   * @param percent 0 to 100
   * @param note at most 1,000 chars
   */
  void progress(int percent, String note);

  /**
   * The keys under which a server puts the task of the running attempt into the MDC of SLF4J, so
   * that log lines of handlers name it. They are set on the thread of the handler before it is
   * called, and removed afterwards.
   *
   * <p>A pattern for Logback: {@code %X{taskType} %X{taskId} %msg%n}.
   */
  final class MdcKeys {

    /** The ID of the task. */
    public static final String TASK_ID = "taskId";

    /** The name of the task type. */
    public static final String TASK_TYPE = "taskType";

    /** The name of the queue. */
    public static final String QUEUE = "queue";

    private MdcKeys() {}
  }
}
