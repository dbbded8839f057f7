package io.asynq4j.service.definition;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.TaskClient;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.http.Json;
import io.asynq4j.internal.definition.DefinitionCache;
import io.asynq4j.internal.definition.DefinitionSnapshot;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.definition.FollowUpTasks.Attempt;
import io.asynq4j.service.response.TaskJson;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Enqueues the follow-ups that definitions name, around the attempts of a server. The service uses
 * it for its hosted tasks; servers that embed the library add it to theirs:
 *
 * <pre>{@code
 * TaskServer.fromDefinitions(redis, List.of(FollowUpMiddleware.of(redis)), handlers)
 * }</pre>
 *
 * <p>A follow-up is enqueued before the attempt is settled, so none is lost. It may run before the
 * state of the task changes. Thread-safe.
 */
public final class FollowUpMiddleware implements Middleware {

  private static final Duration FRESH = Duration.ofSeconds(2);

  private final FollowUpTasks followUps;

  public FollowUpMiddleware(FollowUpTasks followUps) {
    this.followUps = followUps;
  }

  /** Creates a middleware that reads the definitions from Redis at most every two seconds. */
  public static FollowUpMiddleware of(RedisConnection redis) {
    return new FollowUpMiddleware(
        new FollowUpTasks(
            new RecentDefinitions(TaskDefinitions.of(redis)::all, System::nanoTime),
            TaskClient.create(redis)));
  }

  @Override
  public Outcome handle(Task task, TaskContext context, Next next) throws Exception {
    Attempt attempt =
        new Attempt(context.id(), task.type(), context.retryCount() + 1, task.payload());
    send(followUps.before(attempt));
    Outcome outcome;
    try {
      outcome = next.call();
    } catch (Exception | Error e) {
      try {
        Outcome thrown = OutcomePolicy.thrownOutcome(e);
        if (thrown == null) {
          followUpError(attempt, context, e);
        } else {
          followUp(attempt, context, thrown);
        }
      } catch (RuntimeException | Error notSent) {
        // What the handler has thrown still decides the outcome.
        e.addSuppressed(notSent);
      }
      throw e;
    }
    followUp(attempt, context, outcome);
    return outcome;
  }

  /** Enqueues the follow-up of an outcome that the handler has returned or thrown. */
  private void followUp(Attempt attempt, TaskContext context, Outcome outcome) {
    if (outcome instanceof Outcome.Done done) {
      send(followUps.succeeded(attempt, json(done.result())));
    } else if (counts(context)) {
      send(
          OutcomePolicy.failure(outcome, context.isLastAttempt())
              .flatMap(failure -> followUps.failed(attempt, failure)));
    }
  }

  /** Enqueues the follow-up of an error without an outcome. */
  private void followUpError(Attempt attempt, TaskContext context, Throwable error) {
    send(
        OutcomePolicy.failure(error, context.cancelled().orElse(null), context.isLastAttempt())
            .flatMap(failure -> followUps.failed(attempt, failure)));
  }

  /** Sends a follow-up even if the handler was interrupted. */
  private void send(Optional<EnqueueRequest> request) {
    boolean interrupted = Thread.interrupted();
    try {
      followUps.send(request.stream().toList());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Whether the end of an attempt counts: one that another worker continues, or that is requeued,
   * has not failed.
   */
  private static boolean counts(TaskContext context) {
    return context
        .cancelled()
        .map(reason -> reason != CancelReason.LEASE_LOST && reason != CancelReason.SHUTDOWN)
        .orElse(true);
  }

  private static @Nullable JsonNode json(@Nullable Object result) {
    if (result == null) {
      return null;
    }
    return result instanceof Payload payload
        ? TaskJson.value(payload)
        : Json.MAPPER.valueToTree(result);
  }

  /**
   * Definitions that are at most a little outdated. One thread reads them again while the others
   * continue with the old ones; only before the first read has ended, each thread reads them.
   */
  static final class RecentDefinitions implements Function<String, Optional<TaskDefinition>> {
    private final DefinitionCache<DefinitionSnapshot> cache;
    private final AtomicBoolean isReading = new AtomicBoolean();

    /**
     * @param nanos a timer such as {@code System.nanoTime()}
     */
    RecentDefinitions(Supplier<Map<String, TaskDefinition>> source, LongSupplier nanos) {
      this.cache = new DefinitionCache<>(source, Function.identity(), nanos);
    }

    @Override
    public Optional<TaskDefinition> apply(String name) {
      if (!cache.isRead()) {
        cache.refresh();
      } else if (cache.isOlderThan(FRESH) && isReading.compareAndSet(false, true)) {
        try {
          cache.refresh();
        } finally {
          isReading.set(false);
        }
      }
      return cache.current().find(name);
    }
  }
}
