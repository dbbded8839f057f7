package io.asynq4j.internal.server.shard;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;

/** Returns the server of a queue, and does nothing else. */
public record StubStoreWatch(Function<QueueName, String> shards) implements StoreWatch {

  @Override
  public String shardOf(QueueName queue) {
    return shards.apply(queue);
  }

  @Override
  public Set<QueueName> having(Collection<QueueName> queues, Set<QueuePart> parts) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Watch watch(Listener listener) {
    throw new UnsupportedOperationException();
  }
}
