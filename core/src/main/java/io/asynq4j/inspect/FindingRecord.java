package io.asynq4j.inspect;

import io.asynq4j.QueueName;
import java.util.List;
import org.jspecify.annotations.Nullable;

record FindingRecord(
    FindingKind kind, @Nullable QueueName queue, long count, long repaired, List<String> sample)
    implements Finding {

  /** All of it in one line, without payloads. */
  @Override
  public String toString() {
    return "%s: %s (%s): %d found, %d repaired; %s; repair: %s; examples: %s"
        .formatted(where(), kind.what(), kind, count, repaired, kind.why(), kind.repair(), sample);
  }
}
