package io.asynq4j.spring.boot;

import io.asynq4j.QueueSettings;
import io.asynq4j.RateLimit;
import io.asynq4j.RetryPolicy;
import io.asynq4j.server.TaskServerBuilder;
import io.asynq4j.spring.boot.AsynqProperties.Queue;
import io.asynq4j.spring.boot.AsynqProperties.Server;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Applies the properties of one server to its builder. */
record ServerSettingsApplier(String prefix, Server server, boolean hasVirtualThreads) {

  private static final Logger log = LoggerFactory.getLogger(ServerSettingsApplier.class);
  private static final int OLDEST_WITH_VIRTUAL_THREADS = 21;

  void apply(String name, TaskServerBuilder builder) {
    try {
      Optional.ofNullable(server.concurrency()).ifPresent(builder::concurrency);
      server.queues().forEach((queue, settings) -> apply(queue, settings, builder));
      if (server.strictPriority()) {
        builder.queues(queues -> queues.strictPriority());
      }
      applyRetry(builder);
      builder
          .shutdownTimeout(server.shutdownTimeout())
          .maxResult(Math.toIntExact(server.maxResult().toBytes()));
      applyGroups(builder);
      applyTopics(builder);
    } catch (IllegalArgumentException | ArithmeticException e) {
      // Reported together with other problems of servers and handlers.
      throw new IllegalArgumentException(
          "a property %s.* cannot be used: %s; correct its value".formatted(prefix, e.getMessage()),
          e);
    }
    applyThreads(name, builder);
  }

  private static void apply(String queue, Queue settings, TaskServerBuilder builder) {
    if (queue.contains("*")) {
      boolean hasLimits =
          settings.maxActive() != 0
              || settings.ordered()
              || settings.rateLimit() != null
              || settings.burst() != null;
      if (hasLimits) {
        throw new IllegalArgumentException(
            "queues.[%s] is a pattern, which has only a weight; limit each queue by its own name"
                .formatted(queue));
      }
      builder.queues(queues -> queues.matching(queue, settings.weight()));
      return;
    }
    builder.queue(queue, to -> apply(queue, settings, to));
  }

  private static void apply(String queue, Queue settings, QueueSettings to) {
    to.weight(settings.weight()).maxActive(settings.maxActive());
    if (settings.ordered()) {
      to.ordered();
    }
    String rate = settings.rateLimit();
    Integer burst = settings.burst();
    if (rate != null) {
      RateLimit limit = RateLimit.parse(rate);
      to.rateLimit(burst == null ? limit : limit.withBurst(burst));
    } else if (burst != null) {
      throw new IllegalArgumentException(
          "queues.%s.burst is %d without rate-limit; set the rate too".formatted(queue, burst));
    }
  }

  private void applyRetry(TaskServerBuilder builder) {
    AsynqProperties.Retry retry = server.retry();
    if (retry.delay() != null) {
      builder.retryPolicy(
          retry.maxDelay() == null
              ? RetryPolicy.fixed(retry.delay())
              : RetryPolicy.exponential(retry.delay(), retry.maxDelay()));
    } else if (retry.maxDelay() != null) {
      throw new IllegalArgumentException(
          "retry.max-delay is set without retry.delay; set the first delay too");
    }
  }

  private void applyGroups(TaskServerBuilder builder) {
    AsynqProperties.Groups groups = server.groups();
    builder.groups(
        to ->
            to.maxSize(groups.maxSize())
                .maxDelay(groups.maxDelay())
                .grace(groups.grace())
                .timeout(groups.timeout())
                .parallelism(groups.parallelism()));
  }

  private void applyTopics(TaskServerBuilder builder) {
    AsynqProperties.Timing timing = server.timing();
    AsynqProperties.Crashes crashes = server.crashes();
    AsynqProperties.Failures failures = server.failures();
    AsynqProperties.Archive archive = server.archive();
    builder
        .timing(
            to -> {
              to.lease(timing.lease())
                  .cancelGrace(timing.cancelGrace())
                  .pollInterval(timing.pollInterval())
                  .recoverInterval(timing.recoverInterval())
                  .forwardInterval(timing.forwardInterval())
                  .janitorInterval(timing.janitorInterval())
                  .repairInterval(timing.repairInterval());
              Optional.ofNullable(timing.heartbeat()).ifPresent(to::heartbeat);
            })
        .crashes(to -> to.max(crashes.max()).delay(crashes.delay()).goGrace(crashes.goGrace()))
        .failures(
            to ->
                to.keep(failures.keep())
                    .logLimit(failures.logLimit())
                    .logEveryStackTrace(failures.logEveryStackTrace())
                    .missingHandlerDelay(failures.missingHandlerDelay()))
        .archive(
            to ->
                to.maxSize(archive.maxSize())
                    .maxAge(archive.maxAge())
                    .releaseLocks(archive.releaseLocks()));
  }

  private void applyThreads(String name, TaskServerBuilder builder) {
    if (!hasVirtualThreads) {
      return;
    }
    if (Runtime.version().feature() < OLDEST_WITH_VIRTUAL_THREADS) {
      log.warn(
          "server \"{}\" should run handlers on virtual threads, but Java {} has none; it uses platform threads",
          name,
          Runtime.version().feature());
      return;
    }
    SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("asynq-" + name + "-");
    executor.setVirtualThreads(true);
    builder.executor(executor);
  }
}
