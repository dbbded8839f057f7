package io.asynq4j.internal.server.settle;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.ShardTopology;
import java.util.function.Consumer;

/**
 * The parts of a server that settling uses.
 *
 * @param settled called with the queue when some of its tasks have been settled
 * @param fatal called when nothing can ever be settled, because code cannot be linked
 */
public record SettlementContext(
    ServerConfig config,
    LeaseOperations source,
    AttemptRegistry attempts,
    ShardTopology shards,
    SettlementThreadPools threads,
    AttemptReportWriter reports,
    Consumer<QueueName> settled,
    Consumer<LinkageError> fatal) {}
