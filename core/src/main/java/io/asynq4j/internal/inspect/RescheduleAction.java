package io.asynq4j.internal.inspect;

import io.asynq4j.internal.inspect.BulkOperation.BulkAction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reschedules tasks that stay in their container, at another position, where the scan may return
 * them again; so this action remembers them. Not thread-safe.
 */
final class RescheduleAction implements BulkAction {

  private final BulkAction reschedule;
  private final HashedIdSet rescheduled = new HashedIdSet();

  RescheduleAction(BulkAction reschedule) {
    this.reschedule = reschedule;
  }

  @Override
  public List<@Nullable String> apply(List<String> ids) {
    ids.forEach(rescheduled::add);
    return reschedule.apply(ids);
  }

  @Override
  public boolean takesOut() {
    return false;
  }

  @Override
  public boolean isRepeated(String id) {
    return rescheduled.contains(id);
  }
}
