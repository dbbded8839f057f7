package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.broker.Lookout;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;

/** Says which server of a cluster has a queue, and nothing else. */
record ShardedQueues(Function<QueueName, String> shards) implements Lookout {

  @Override
  public String shardOf(QueueName queue) {
    return shards.apply(queue);
  }

  @Override
  public Set<QueueName> having(Collection<QueueName> queues, Set<Part> parts) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Watch watch(Listener listener) {
    throw new UnsupportedOperationException();
  }
}
