package io.asynq4j.spring.internal;

import io.asynq4j.QueueName;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import io.asynq4j.spring.AsynqSettings;
import io.asynq4j.spring.InvalidTaskBeansException;
import io.asynq4j.spring.SchedulerCustomizer;
import io.asynq4j.spring.TaskServerCustomizer;
import io.asynq4j.spring.TaskServerDefinition;
import io.asynq4j.spring.internal.TaskBeanIndex.Content;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * Checks the handlers, schedules and servers of an application context when all its singletons
 * exist, and registers what starts and stops them.
 */
public final class TaskBeanRunner implements SmartInitializingSingleton {

  /** Name of the {@code SmartLifecycle} that runs the scheduler, if there is one. */
  public static final String SCHEDULER_BEAN = "asynqSchedulerLifecycle";

  private static final String SERVER_BEAN = "asynqServer.";

  private final DefaultListableBeanFactory factory;
  private final TaskBeanIndex index;
  private final ServerRegistry servers;

  public TaskBeanRunner(
      DefaultListableBeanFactory factory, TaskBeanIndex index, ServerRegistry servers) {
    this.factory = factory;
    this.index = index;
    this.servers = servers;
  }

  @Override
  public void afterSingletonsInstantiated() {
    AsynqSettings settings =
        factory.getBeanProvider(AsynqSettings.class).getIfAvailable(AsynqSettings::defaults);
    ContextClassLoader loader = new ContextClassLoader(factory.getBeanClassLoader());
    Content content = index.complete();
    ProblemList problems = content.problems();
    content.handlers().stream()
        .flatMap(handler -> Stream.ofNullable(handler.invoker()))
        .forEach(invoker -> invoker.checkProxy(problems));
    content.aggregators().forEach(aggregator -> aggregator.invoker().checkProxy(problems));
    Map<ServerPlan, TaskServer> built = Map.of();
    if (settings.hasServers()) {
      built = servers(content, loader);
    }
    List<ScheduleEntry> entries = entries(content);
    problems.throwIfAny();
    built.forEach(
        (plan, server) -> {
          if (plan.definition().isEnabled()) {
            register(plan, server, loader);
          }
        });
    if (settings.hasScheduler()) {
      registerScheduler(entries, settings, loader, content);
      problems.throwIfAny();
    }
  }

  /** Returns the servers to run, which are built to check their settings. */
  private Map<ServerPlan, TaskServer> servers(Content content, ContextClassLoader loader) {
    Map<String, TaskServerDefinition> definitions = definitions(content.problems());
    if (definitions.isEmpty()) {
      return Map.of();
    }
    Map<ServerPlan, TaskServer> built = new LinkedHashMap<>();
    List<Middleware> middlewares = new ArrayList<>(List.of(loader));
    factory.getBeanProvider(Middleware.class).orderedStream().forEach(middlewares::add);
    List<TaskServerCustomizer> customizers =
        factory.getBeanProvider(TaskServerCustomizer.class).orderedStream().toList();
    for (TaskServerDefinition definition : definitions.values()) {
      plan(definition, content, middlewares, customizers)
          .filter(plan -> plan.hasNoDuplicates(content.problems()))
          .ifPresent(
              plan -> build(plan, content.problems()).ifPresent(server -> built.put(plan, server)));
    }
    checkServers(content, definitions, built);
    return built;
  }

  private Map<String, TaskServerDefinition> definitions(ProblemList problems) {
    // Not those of parent contexts, which run them with their own handlers.
    List<TaskServerDefinition> given =
        new ArrayList<>(factory.getBeansOfType(TaskServerDefinition.class).values());
    Collection<TaskServerDefinition.Source> sources =
        factory.getBeansOfType(TaskServerDefinition.Source.class).values();
    sources.forEach(source -> given.addAll(source.definitions()));
    if (given.isEmpty() && sources.isEmpty()) {
      given.add(
          TaskServerDefinition.of(TaskServerDefinition.DEFAULT_NAME)
              .withQueuesOfHandlers()
              .optional());
    }
    Map<String, TaskServerDefinition> definitions = new LinkedHashMap<>();
    for (TaskServerDefinition definition : given) {
      if (definitions.putIfAbsent(definition.name(), definition) != null) {
        problems.add(
            "server \"%s\" is defined twice: give each TaskServerDefinition its own name"
                .formatted(definition.name()));
      }
    }
    return definitions;
  }

  /** Returns empty for a server that handles nothing, or has no connection. */
  private Optional<ServerPlan> plan(
      TaskServerDefinition definition,
      Content content,
      List<Middleware> middlewares,
      List<TaskServerCustomizer> customizers) {
    List<HandlerDeclaration> handlers =
        content.handlers().stream().filter(each -> each.runsOn(definition.name())).toList();
    if (handlers.isEmpty() && content.muxes().values().stream().allMatch(Mux::isEmpty)) {
      if (!definition.isOptional()) {
        content
            .problems()
            .add(
                "server \"%s\" has no handler: add a method with @TaskHandler or a bean of type Mux, or define the server as optional()"
                    .formatted(definition.name()));
      }
      return Optional.empty();
    }
    return redis(definition, content.problems())
        .map(
            redis ->
                new ServerPlan(
                    definition,
                    redis,
                    handlers,
                    content.aggregators().stream()
                        .filter(each -> each.runsOn(definition.name()))
                        .toList(),
                    content.muxes(),
                    middlewares,
                    customizers));
  }

  private Optional<RedisConnection> redis(TaskServerDefinition definition, ProblemList problems) {
    if (definition.redis().isPresent()) {
      return definition.redis();
    }
    try {
      return Optional.of(
          DefaultBeanRegistrar.connection(factory.getBeanProvider(RedisConnection.class)));
    } catch (InvalidTaskBeansException e) {
      e.problems().forEach(problems::add);
      return Optional.empty();
    }
  }

  private static Optional<TaskServer> build(ServerPlan plan, ProblemList problems) {
    try {
      return Optional.of(plan.build());
    } catch (IllegalArgumentException | IllegalStateException e) {
      problems.add(
          "server \"%s\"".formatted(plan.definition().name()),
          Objects.requireNonNullElse(e.getMessage(), e.toString()));
      return Optional.empty();
    }
  }

  private static void checkServers(
      Content content,
      Map<String, TaskServerDefinition> definitions,
      Map<ServerPlan, TaskServer> built) {
    ProblemList problems = content.problems();
    boolean isValid = problems.size() == 0;
    for (AggregatorDeclaration aggregator : content.aggregators()) {
      if (checkServer(aggregator.where(), aggregator.server(), definitions, problems)
          && isValid
          && built.keySet().stream().noneMatch(plan -> plan.aggregators().contains(aggregator))) {
        problems.add(
            aggregator.where(),
            "no server runs the aggregator, because a server without handlers is not started: add a handler, such as for the combined task");
      }
    }
    for (HandlerDeclaration handler : content.handlers()) {
      boolean isKnown = checkServer(handler.where(), handler.server(), definitions, problems);
      QueueName queue = handler.type().options().queue();
      if (queue != null) {
        checkQueue(handler.where(), handler.type().name(), queue, handler::runsOn, built, problems);
      }
      if (isKnown) {
        checkOtherServers(handler, queue == null ? QueueName.DEFAULT : queue, built, problems);
      }
    }
    content
        .muxes()
        .forEach(
            (bean, mux) ->
                mux.queues()
                    .forEach(
                        (type, queue) ->
                            checkQueue(
                                "bean \"" + bean + "\"",
                                type,
                                QueueName.of(queue),
                                server -> true,
                                built,
                                problems)));
  }

  /** A server without the handler delays each task that it claims. */
  private static void checkOtherServers(
      HandlerDeclaration handler,
      QueueName queue,
      Map<ServerPlan, TaskServer> built,
      ProblemList problems) {
    String type = handler.type().name();
    built.forEach(
        (plan, server) -> {
          if (server.queues().containsKey(queue.value()) && !plan.handles(type)) {
            problems.add(
                handler.where(),
                "server \"%s\" also serves queue \"%s\" of \"%s\", but the handler runs only on server \"%s\": set a queue that only this server serves, or remove server = \"%4$s\""
                    .formatted(plan.definition().name(), queue, type, handler.server()));
          }
        });
  }

  /**
   * @param runsOn whether the server with a name runs the handler
   */
  private static void checkQueue(
      String where,
      String type,
      QueueName queue,
      Predicate<String> runsOn,
      Map<ServerPlan, TaskServer> built,
      ProblemList problems) {
    Map<String, Object> queuesOfServers = new HashMap<>();
    boolean served = false;
    for (Map.Entry<ServerPlan, TaskServer> each : built.entrySet()) {
      String server = each.getKey().definition().name();
      if (runsOn.test(server)) {
        queuesOfServers.put(server, each.getValue().queues().keySet());
        served |= each.getValue().mayServe(queue.value());
      }
    }
    if (!served && !queuesOfServers.isEmpty()) {
      problems.add(
          where,
          "the tasks of \"%s\" go to queue \"%s\", which no server serves that runs the handler (%s): add queue(\"%s\") to the definition of a server"
              .formatted(type, queue, queuesOfServers, queue));
    }
  }

  private static boolean checkServer(
      String where,
      String server,
      Map<String, TaskServerDefinition> definitions,
      ProblemList problems) {
    boolean isDefined = server.isEmpty() || definitions.containsKey(server);
    if (!isDefined) {
      problems.add(
          where,
          "no server has the name \"%s\"; the servers are %s: correct it, or define a bean of type TaskServerDefinition"
              .formatted(server, definitions.keySet()));
    }
    return isDefined;
  }

  private void register(ServerPlan plan, TaskServer server, ContextClassLoader loader) {
    String name = plan.definition().name();
    String bean = SERVER_BEAN + name;
    ServerLifecycle lifecycle = new ServerLifecycle(plan.definition(), server, plan::build, loader);
    register(bean, lifecycle, lifecycle);
    plan.handlers().forEach(each -> factory.registerDependentBean(each.beanName(), bean));
    plan.aggregators().forEach(each -> factory.registerDependentBean(each.beanName(), bean));
    servers.add(name, plan, lifecycle);
  }

  /** Registers a bean that is destroyed before Redis connections and other beans that it uses. */
  private void register(String bean, Object singleton, DisposableBean disposable) {
    factory.registerSingleton(bean, singleton);
    factory.registerDisposableBean(bean, disposable);
    for (String redis : factory.getBeanNamesForType(RedisConnection.class, true, false)) {
      factory.registerDependentBean(redis, bean);
    }
  }

  /** Returns the entries of annotations and beans. */
  private List<ScheduleEntry> entries(Content content) {
    Map<String, ScheduleEntry> entries = new LinkedHashMap<>(content.schedules());
    factory
        .getBeansOfType(ScheduleEntry.class, false, true)
        .forEach(
            (bean, entry) -> {
              if (entries.putIfAbsent(entry.name(), entry) != null) {
                content
                    .problems()
                    .add("bean \"" + bean + "\"", TaskBeanIndex.duplicateSchedule(entry.name()));
              }
            });
    return List.copyOf(entries.values());
  }

  /** Without entries, only if the application uses the scheduler. */
  private void registerScheduler(
      List<ScheduleEntry> entries,
      AsynqSettings settings,
      ContextClassLoader loader,
      Content content) {
    boolean isCustomized = factory.getBeanNamesForType(SchedulerCustomizer.class).length > 0;
    boolean isUsed =
        Stream.of(factory.getBeanNamesForType(Scheduler.class, true, false))
            .anyMatch(factory::containsSingleton);
    if (entries.isEmpty() && !isCustomized && !isUsed) {
      return;
    }
    Scheduler scheduler = factory.getBean(Scheduler.class);
    for (ScheduleEntry entry : entries) {
      try {
        scheduler.add(entry);
      } catch (IllegalArgumentException e) {
        content
            .problems()
            .add(where(entry, content), TaskBeanIndex.duplicateSchedule(entry.name()));
      }
    }
    SchedulerLifecycle lifecycle = new SchedulerLifecycle(scheduler, settings, loader);
    register(SCHEDULER_BEAN, lifecycle, lifecycle::stop);
  }

  private static String where(ScheduleEntry entry, Content content) {
    return content.handlers().stream()
        .filter(handler -> handler.type().name().equals(entry.name()))
        .findFirst()
        .map(HandlerDeclaration::where)
        .orElse("schedule entry \"" + entry.name() + "\"");
  }
}
