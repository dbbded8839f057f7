package io.asynq4j.lease;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.util.Map;

/** The rules of queues and of the archive that the builder of {@link TaskLeases} was given. */
record LeaseRules(Map<QueueName, QueueRules> queues, ArchiveRules archive) {

  LeaseRules {
    queues = Map.copyOf(queues);
  }

  QueueRules of(QueueName queue) {
    return queues.getOrDefault(queue, QueueRules.NONE);
  }
}
