package io.asynq4j.internal.outcome;

import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A retry policy of the user, replaced by the standard one where it throws or returns a negative
 * delay. For attempts that have to be settled whatever the policy does.
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
      log.error("the retry policy gave a negative delay: {}", delay);
    } catch (Throwable e) {
      log.error("the retry policy failed; the standard one is used", e);
    }
    return RetryPolicy.standard().delay(retried, error, task);
  }
}
