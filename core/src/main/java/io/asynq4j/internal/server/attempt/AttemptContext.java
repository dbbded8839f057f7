package io.asynq4j.internal.server.attempt;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The view of an attempt that its handler gets. Thread-safe. */
final class AttemptContext implements TaskContext {

  private final Attempt attempt;
  private final HandlerCall call;
  private final AttemptHost host;
  private final Instant deadline;
  private final long deadlineNanos;

  /**
   * @param now by the same clock as the deadline
   */
  AttemptContext(
      Attempt attempt, HandlerCall call, AttemptHost host, Instant deadline, Instant now) {
    this.attempt = attempt;
    this.call = call;
    this.host = host;
    this.deadline = deadline;
    // By the monotonic timer: a clock step must not time out a handler and use up a retry.
    this.deadlineNanos = System.nanoTime() + TimeMath.nanosUntil(deadline, now);
  }

  Attempt attempt() {
    return attempt;
  }

  boolean isOver(long nanos) {
    return nanos - deadlineNanos >= 0;
  }

  @Override
  public String id() {
    return attempt.id();
  }

  @Override
  public QueueName queue() {
    return attempt.queue();
  }

  @Override
  public String type() {
    return attempt.type();
  }

  @Override
  public PayloadCodec codec() {
    return host.config().codec();
  }

  @Override
  public int retryCount() {
    return attempt.ref().retried();
  }

  @Override
  public int maxRetry() {
    return attempt.ref().maxRetry();
  }

  @Override
  public Map<String, String> headers() {
    return attempt.task().headers();
  }

  @Override
  public Instant deadline() {
    return deadline;
  }

  @Override
  public Duration timeLeft() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
  }

  @Override
  public Optional<CancelReason> cancelled() {
    return Optional.ofNullable(call.cancelReason());
  }

  @Override
  public void onCancel(Runnable action) {
    call.onCancel(action);
  }

  @Override
  public void writeResult(@Nullable Object result) {
    Payload payload = host.policy().intermediateResult(attempt.claim(), result);
    if (attempt.isDecided() || !host.sink().writeResult(attempt, payload)) {
      throw new IllegalStateException(
          "the result of task %s was not written: its lease is lost, or the attempt has ended"
              .formatted(id()));
    }
  }

  @Override
  public void progress(int percent, String note) {
    Progress progress = new Progress(percent, note);
    if (!attempt.isDecided()) {
      host.sink().progress(attempt, progress);
    }
  }
}
