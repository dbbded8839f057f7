package io.asynq4j.internal.server.settle;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.server.ServerListener;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** What settling needs of its server. Thread-safe. */
public final class SettlementContext {

  private final ServerConfig config;
  private final LeaseOperations source;
  private final AttemptRegistry attempts;
  private final ShardTopology shards;
  private final ServerListener events;
  private final SettlementThreadPools threads;
  private final AttemptReportWriter reports;
  private final WakeupSignal settled;
  private final Consumer<QueueName> settledOf;
  private final Consumer<LinkageError> fatal;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean givenUp;

  /**
   * Creates the context of one server.
   *
   * @param settled raised when fewer settlements wait
   * @param settledOf called with the queue then
   * @param fatal called when nothing can ever be settled, since code cannot be linked
   */
  public SettlementContext(
      ServerConfig config,
      LeaseOperations source,
      AttemptRegistry attempts,
      ShardTopology shards,
      ServerListener events,
      SettlementThreadPools threads,
      AttemptReportWriter reports,
      WakeupSignal settled,
      Consumer<QueueName> settledOf,
      Consumer<LinkageError> fatal) {
    this.config = config;
    this.source = source;
    this.attempts = attempts;
    this.shards = shards;
    this.events = events;
    this.threads = threads;
    this.reports = reports;
    this.settled = settled;
    this.settledOf = settledOf;
    this.fatal = fatal;
  }

  ServerConfig config() {
    return config;
  }

  LeaseOperations source() {
    return source;
  }

  AttemptRegistry attempts() {
    return attempts;
  }

  ShardTopology shards() {
    return shards;
  }

  ServerListener events() {
    return events;
  }

  SettlementThreadPools threads() {
    return threads;
  }

  AttemptReportWriter reports() {
    return reports;
  }

  WakeupSignal settled() {
    return settled;
  }

  Consumer<QueueName> settledOf() {
    return settledOf;
  }

  Consumer<LinkageError> fatal() {
    return fatal;
  }

  /** Number of decided attempts that are not settled. */
  AtomicInteger waiting() {
    return waiting;
  }

  /** Stops repeating what Redis does not answer. */
  void giveUp() {
    givenUp = true;
  }

  boolean isGivenUp() {
    return givenUp;
  }
}
