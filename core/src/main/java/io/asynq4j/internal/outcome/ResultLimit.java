package io.asynq4j.internal.outcome;

import static io.asynq4j.internal.codec.ArgumentValidator.requireBetween;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.text.LogText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The maximum size of a result. A larger one is never sent: Redis might refuse it together with the
 * settlements in the same call, on every retry.
 */
public record ResultLimit(int maxBytes) {

  public static final ResultLimit DEFAULT = new ResultLimit(1 << 20);

  private static final Logger log = LoggerFactory.getLogger(ResultLimit.class);

  private static final int MOST_BYTES = 64 << 20;

  public ResultLimit {
    requireBetween(1, MOST_BYTES, maxBytes, "maxResult, in bytes,");
  }

  /**
   * Completes a task. If the result is too large, the task is completed without it, with a log
   * warning.
   */
  Settlement.Complete complete(Claim claim, Payload result) {
    if (result.size() <= maxBytes) {
      return new Settlement.Complete(claim, result);
    }
    String note = TaskInfo.RESULT_DROPPED + tooLarge(result);
    log.error(
        "the result of task {} ({}, queue {}) is not kept: {}; store large data elsewhere and only its"
            + " address in the result, or raise maxResult",
        LogText.name(claim.id()),
        LogText.name(claim.message().type()),
        claim.queue(),
        tooLarge(result));
    return new Settlement.Complete(claim, Payload.absent(), note);
  }

  /** Rejects a result that is too large while its task runs, so that the handler can react. */
  Payload require(Claim claim, Payload result) {
    if (result.size() > maxBytes) {
      throw new IllegalArgumentException(
          ("the result of task %s was not written: %s; store large data elsewhere and only its address"
                  + " in the result, or raise maxResult")
              .formatted(claim.id(), tooLarge(result)));
    }
    return result;
  }

  private String tooLarge(Payload result) {
    return "it has %d bytes, the limit is %d".formatted(result.size(), maxBytes);
  }
}
