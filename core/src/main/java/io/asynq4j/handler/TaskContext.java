package io.asynq4j.handler;

import io.asynq4j.QueueName;
import io.asynq4j.codec.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task, as its handler sees it. May be used from any thread while the attempt
 * lasts.
 */
public interface TaskContext {

  String id();

  QueueName queue();

  String type();

  /** Retries used up before this attempt: 0 at the first. */
  int retryCount();

  int maxRetry();

  /** Whether no retries are left: the task is archived if this attempt fails. */
  default boolean isLastAttempt() {
    return retryCount() >= maxRetry();
  }

  Map<String, String> headers();

  /** When the attempt must be over. */
  Instant deadline();

  /** How much time is left until then; never negative. */
  Duration timeLeft();

  /** Why the handler is asked to stop, if it is; its thread has been interrupted then too. */
  Optional<CancelReason> cancelled();

  /**
   * Has something called when the handler is asked to stop, at once if it is already, on a thread
   * of the server's: it must be quick.
   */
  void onCancel(Runnable action);

  /** Why a handler is asked to stop. */
  enum CancelReason {
    /** It has taken longer than its timeout, or its deadline has passed. */
    DEADLINE,
    /** Somebody asked for it. */
    REQUESTED,
    /** The lease was lost: another worker may be running the task. */
    LEASE_LOST,
    /** The server stops, and has waited for as long as it may. */
    SHUTDOWN
  }

  /** How the server decodes inputs and encodes results. */
  default PayloadCodec codec() {
    return PayloadCodec.json();
  }

  /**
   * Keeps a result with the task, before it has ended; it replaces the one before. Fails with an
   * {@code IllegalStateException} when the lease is lost.
   */
  void writeResult(@Nullable Object result);

  /**
   * Says how far the attempt has come, for whoever watches it; {@code TaskInfo} shows it. Returns
   * at once: it is written within a fraction of a second, or a later one in its place, and the last
   * one before the attempt ends is never left out. When it cannot be written, that is logged.
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

    /** The id of the task. */
    public static final String TASK_ID = "taskId";

    /** The name of the task type. */
    public static final String TASK_TYPE = "taskType";

    /** The name of the queue. */
    public static final String QUEUE = "queue";

    private MdcKeys() {}
  }
}
