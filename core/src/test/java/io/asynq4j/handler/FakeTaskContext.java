package io.asynq4j.handler;

import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The context of an attempt without a claimed task. */
record FakeTaskContext(String id, Instant deadline) implements TaskContext {

  FakeTaskContext(String id) {
    this(id, Instant.parse("2100-01-01T12:00:00Z"));
  }

  @Override
  public QueueName queue() {
    return QueueName.DEFAULT;
  }

  @Override
  public String type() {
    return "t";
  }

  @Override
  public int retryCount() {
    return 0;
  }

  @Override
  public int maxRetry() {
    return 25;
  }

  @Override
  public Map<String, String> headers() {
    return Map.of();
  }

  @Override
  public Duration timeLeft() {
    return Duration.ofMinutes(1);
  }

  @Override
  public Optional<CancelReason> cancelled() {
    return Optional.empty();
  }

  @Override
  public void onCancel(Runnable action) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void writeResult(@Nullable Object result) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void progress(int percent, String note) {
    throw new UnsupportedOperationException();
  }
}
