package io.asynq4j.spring.internal;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import io.asynq4j.spring.TaskServerCustomizer;
import io.asynq4j.spring.TaskServerDefinition;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Everything that a server is built of, so that it can be built again for each start. */
record ServerPlan(
    TaskServerDefinition definition,
    RedisConnection redis,
    List<HandlerDeclaration> handlers,
    List<AggregatorDeclaration> aggregators,
    Map<String, Mux> muxes,
    List<Middleware> middlewares,
    List<TaskServerCustomizer> customizers) {

  /** Reports handlers and aggregators of the same tasks, and returns whether there are none. */
  boolean hasNoDuplicates(ProblemList problems) {
    int before = problems.size();
    Map<String, String> whereOfPattern = new HashMap<>();
    String otherwise = null;
    for (Map.Entry<String, Mux> mux : muxes.entrySet()) {
      String where = "bean \"" + mux.getKey() + "\"";
      mux.getValue()
          .patterns()
          .forEach(pattern -> checkDuplicate(whereOfPattern, pattern, where, problems));
      if (handlesOthers(mux.getValue())) {
        if (otherwise != null) {
          problems.add(
              where,
              "the Mux handles all other task types, as %s does: remove otherwise(…) from one of them"
                  .formatted(otherwise));
        }
        otherwise = where;
      }
    }
    for (HandlerDeclaration handler : handlers) {
      checkDuplicate(whereOfPattern, handler.type().name(), handler.where(), problems);
    }
    Map<String, String> whereOfTarget = new HashMap<>();
    for (AggregatorDeclaration aggregator : aggregators) {
      String other = whereOfTarget.putIfAbsent(aggregator.target(), aggregator.where());
      if (other != null) {
        problems.add(
            aggregator.where(),
            "%s already has an aggregator (%s): remove one, or give them different servers"
                .formatted(aggregator.target(), other));
      }
    }
    return problems.size() == before;
  }

  private static void checkDuplicate(
      Map<String, String> whereOfPattern, String pattern, String where, ProblemList problems) {
    String other = whereOfPattern.putIfAbsent(pattern, where);
    if (other != null) {
      problems.add(
          where,
          "the task type \"%s\" already has a handler (%s): remove one, or give them different servers"
              .formatted(pattern, other));
    }
  }

  /** Returns whether the server has a handler for tasks with this type. */
  boolean handles(String type) {
    return handlers.stream().anyMatch(handler -> type.startsWith(handler.type().name()))
        || muxes.values().stream().anyMatch(mux -> mux.handles(type));
  }

  /** Only a handler for all other types handles the empty one. */
  private static boolean handlesOthers(Mux mux) {
    return mux.handles("");
  }

  /**
   * Builds the server.
   *
   * @throws RuntimeException if a setting is not valid
   */
  TaskServer build() {
    TaskServerBuilder builder = TaskServer.builder(redis);
    configure(builder);
    return builder.build();
  }

  void configure(TaskServerBuilder builder) {
    builder.handlers(mux());
    muxes.values().stream()
        .map(Mux::retryPolicies)
        .forEach(
            policies ->
                policies.forEach((type, policy) -> builder.retryPolicy(TaskType.of(type), policy)));
    if (definition.servesQueuesOfHandlers()) {
      queuesOfHandlers().forEach(builder::queue);
    }
    if (!aggregators.isEmpty()) {
      builder.groups(groups -> aggregators.forEach(aggregator -> aggregator.addTo(groups)));
    }
    definition.settings().accept(builder);
    customizers.forEach(customizer -> customizer.customize(definition.name(), builder));
  }

  private Mux mux() {
    Mux.Builder builder = Mux.builder();
    middlewares.forEach(builder::use);
    for (HandlerDeclaration handler : handlers) {
      builder.handle(
          bytes(handler.type()),
          (payload, context) ->
              handler
                  .handler()
                  .handle(Task.of(context.type(), payload, context.headers()), context));
    }
    for (Mux mux : muxes.values()) {
      mux.patterns().forEach(pattern -> builder.handle(pattern, mux));
      if (handlesOthers(mux)) {
        builder.otherwise(mux);
      }
    }
    return builder.build();
  }

  /** The name, options and retry policy of a type, for a handler that decodes payloads itself. */
  private static TaskType<Payload> bytes(TaskType<?> type) {
    TaskType<Payload> bytes = TaskType.of(type.name(), Payload.class).with(type.options());
    RetryPolicy policy = type.retryPolicy().orElse(null);
    return policy == null ? bytes : bytes.retryPolicy(policy);
  }

  private Set<QueueName> queuesOfHandlers() {
    Set<QueueName> queues = new LinkedHashSet<>(Set.of(QueueName.DEFAULT));
    for (HandlerDeclaration handler : handlers) {
      QueueName queue = handler.type().options().queue();
      if (queue != null) {
        queues.add(queue);
      }
    }
    for (Mux mux : muxes.values()) {
      mux.queues().values().forEach(queue -> queues.add(QueueName.of(queue)));
    }
    return queues;
  }
}
