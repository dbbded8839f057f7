package io.asynq4j.server;

import io.asynq4j.BrokerRefusedException;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Does something for one queue after the other, so that a broken one keeps no other from it. */
final class EachQueue {

  private EachQueue() {}

  /**
   * Goes on when Redis refuses something for one of them, and throws the first refusal at the end.
   * An outage is an outage for all.
   */
  static <Q> void of(Collection<Q> queues, Consumer<Q> action) {
    BrokerRefusedException first = null;
    for (Q queue : queues) {
      first = attempt(queue, action, first);
    }
    if (first != null) {
      throw first;
    }
  }

  private static <Q> @Nullable BrokerRefusedException attempt(
      Q queue, Consumer<Q> action, @Nullable BrokerRefusedException before) {
    try {
      action.accept(queue);
      return before;
    } catch (BrokerRefusedException e) {
      if (before == null) {
        return e;
      }
      before.addSuppressed(e);
      return before;
    }
  }
}
