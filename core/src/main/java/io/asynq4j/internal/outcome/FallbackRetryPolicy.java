package io.asynq4j.internal.outcome;

import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A retry policy of the user that falls back to the standard one if it throws or returns a negative
 * delay: attempts must be settled in any case.
 */
public record FallbackRetryPolicy(RetryPolicy policy) implements RetryPolicy {

  private static final Logger log = LoggerFactory.getLogger(FallbackRetryPolicy.class);

  @Override
  public Duration delay(int retried, Throwable error, Task task) {
    try {
      Duration delay = policy.delay(retried, error, task);
      if (!delay.isNegative()) {
        return delay;
      }
      log.error(
          "the retry policy returned a negative delay, {}; the standard policy is used", delay);
    } catch (Throwable e) {
      log.error("the retry policy failed; the standard policy is used", e);
    }
    return RetryPolicy.standard().delay(retried, error, task);
  }
}
