package io.asynq4j;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.internal.codec.PayloadConverter;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A {@link TaskType} with the Java type of its result, so that a client can wait for the decoded
 * result: {@code client.awaitResult(RESIZE, task, timeout)}. Created by {@link TaskType#returning}.
 * Immutable and safe to share between threads.
 *
 * @param <T> the Java type of the input
 * @param <R> the Java type of the result
 */
public final class ResultTaskType<T, R> extends TaskType<T> {

  private final Type result;

  ResultTaskType(
      String name,
      Type input,
      TaskOptions options,
      @Nullable RetryPolicy retryPolicy,
      Type result) {
    super(name, input, options, retryPolicy);
    this.result = Objects.requireNonNull(result, "result");
  }

  @Override
  public ResultTaskType<T, R> with(UnaryOperator<TaskOptions.Builder> settings) {
    return with(TaskOptions.of(settings));
  }

  @Override
  public ResultTaskType<T, R> with(TaskOptions settings) {
    return new ResultTaskType<>(
        name(), input(), options().overriddenBy(settings), retryPolicy().orElse(null), result);
  }

  @Override
  public ResultTaskType<T, R> retryPolicy(RetryPolicy policy) {
    return new ResultTaskType<>(
        name(), input(), options(), Objects.requireNonNull(policy, "policy"), result);
  }

  /** Returns the Java type of the result. */
  public Type result() {
    return result;
  }

  /**
   * Decodes the result of a completed task of this type.
   *
   * @throws PayloadException if the task has no result, or its result is not of this type
   */
  // The decoded value has the type of the constructor argument, and is null only for Void.
  @SuppressWarnings({"unchecked", "NullAway"})
  public R result(TaskInfo task, PayloadCodec codec) {
    if (task.isResultDropped()) {
      throw new PayloadException(
          "task with id=%s has no result: %s. Raise maxResult of the server, or store the result elsewhere and return where it is"
              .formatted(task.id(), task.lastError()),
          null);
    }
    return (R) PayloadConverter.decode(name(), "result", task.result(), result, codec);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return super.equals(other)
        && other instanceof ResultTaskType<?, ?> that
        && result.equals(that.result);
  }

  @Override
  public int hashCode() {
    return 31 * super.hashCode() + result.hashCode();
  }
}
