package io.asynq4j.service.gearman.session;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.job.AssignedJobRegistry;
import io.asynq4j.service.gearman.job.FunctionRegistry;
import io.asynq4j.service.gearman.job.GatewayBus;
import io.asynq4j.service.gearman.job.JobClaimer;
import io.asynq4j.service.gearman.job.JobKey;
import io.asynq4j.service.gearman.job.JobSubmitter;
import io.asynq4j.service.gearman.job.ResultNotifier;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.protocol.GearmanException;
import java.time.Clock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The components of a gateway that sessions use.
 *
 * @param lookups runs lookups in Redis
 */
public record GatewayComponents(
    GearmanConfig config,
    EventLoop loop,
    FunctionRegistry functions,
    JobSubmitter submitter,
    JobClaimer claimer,
    AssignedJobRegistry jobs,
    ResultNotifier results,
    GatewayBus bus,
    Inspector inspector,
    ServerThreadPools lookups,
    Clock clock) {

  /** The Redis server that has a job. */
  String serverOf(JobKey key) {
    return functions.servers().of(key.queue());
  }

  /**
   * Runs a lookup in Redis on another thread. The event loop receives the result.
   *
   * @param servers the Redis servers that the lookup needs
   * @param refuse receives the reason if the lookup fails
   */
  <T> void lookUp(
      String servers, Supplier<T> lookup, Consumer<T> answer, Consumer<GearmanException> refuse) {
    lookups.execute(
        servers,
        () -> {
          Runnable reply;
          try {
            T result = lookup.get();
            reply = () -> answer.accept(result);
          } catch (RuntimeException e) {
            GearmanException refusal = GearmanException.of(e);
            reply = () -> refuse.accept(refusal);
          }
          loop.execute(reply);
        });
  }
}
