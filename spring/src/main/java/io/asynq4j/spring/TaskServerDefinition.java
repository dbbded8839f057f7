package io.asynq4j.spring;

import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServerBuilder;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * A bean that defines a server of an application context: its name, its settings, and when it
 * starts. Without any, there is one server with the name {@link #DEFAULT_NAME}, default settings
 * and the queues that its handlers name, provided that there are handlers. Immutable.
 *
 * <pre>{@code
 * @Bean
 * TaskServerDefinition reports() {
 *   return TaskServerDefinition.of("reports").with(s -> s.queue("reports").concurrency(2));
 * }
 * }</pre>
 *
 * <p>A server starts with the context, after all other beans, and stops before them. It can be
 * started again after a stop. Servers of the same phase stop at the same time.
 */
public final class TaskServerDefinition {

  /** Name of the server that exists without any definition. */
  public static final String DEFAULT_NAME = "default";

  private final String name;
  private final Consumer<TaskServerBuilder> settings;
  private final @Nullable RedisConnection redis;
  private final int phase;
  private final boolean autoStartup;
  private final boolean enabled;
  private final boolean optional;
  private final boolean queuesOfHandlers;

  private TaskServerDefinition(
      String name,
      Consumer<TaskServerBuilder> settings,
      @Nullable RedisConnection redis,
      int phase,
      boolean autoStartup,
      boolean enabled,
      boolean optional,
      boolean queuesOfHandlers) {
    this.name = name;
    this.settings = settings;
    this.redis = redis;
    this.phase = phase;
    this.autoStartup = autoStartup;
    this.enabled = enabled;
    this.optional = optional;
    this.queuesOfHandlers = queuesOfHandlers;
  }

  /** Returns a definition of a server with default settings, which serves {@code default}. */
  public static TaskServerDefinition of(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "the name of a server must not be blank; name it, such as \"" + DEFAULT_NAME + "\"");
    }
    return new TaskServerDefinition(
        name, builder -> {}, null, SmartLifecycle.DEFAULT_PHASE, true, true, false, false);
  }

  /**
   * Returns this definition with further settings, which are applied each time the server is built:
   * {@code with(s -> s.queue("mail", 3).concurrency(20))}. They must not set handlers.
   */
  public TaskServerDefinition with(Consumer<TaskServerBuilder> more) {
    Consumer<TaskServerBuilder> all = settings.andThen(Objects.requireNonNull(more, "more"));
    return new TaskServerDefinition(
        name, all, redis, phase, autoStartup, enabled, optional, queuesOfHandlers);
  }

  /** Returns this definition with a connection. Default: the bean of type RedisConnection. */
  public TaskServerDefinition redis(RedisConnection connection) {
    Objects.requireNonNull(connection, "connection");
    return new TaskServerDefinition(
        name, settings, connection, phase, autoStartup, enabled, optional, queuesOfHandlers);
  }

  /**
   * Returns this definition with a phase of the lifecycle. Default: {@link
   * SmartLifecycle#DEFAULT_PHASE}, so that the server starts last and stops first, before the web
   * server of Spring Boot ends its requests.
   */
  public TaskServerDefinition phase(int newPhase) {
    return new TaskServerDefinition(
        name, settings, redis, newPhase, autoStartup, enabled, optional, queuesOfHandlers);
  }

  /**
   * Returns this definition with another start: with the context, or only by {@link
   * TaskServers#start}. Default: with the context.
   */
  public TaskServerDefinition autoStartup(boolean startsWithContext) {
    return new TaskServerDefinition(
        name, settings, redis, phase, startsWithContext, enabled, optional, queuesOfHandlers);
  }

  /**
   * Returns this definition enabled or not. A disabled server is checked like any other, with its
   * handlers and queues, but does not run: another process has it. Default: enabled.
   */
  public TaskServerDefinition enabled(boolean runsHere) {
    return new TaskServerDefinition(
        name, settings, redis, phase, autoStartup, runsHere, optional, queuesOfHandlers);
  }

  /**
   * Returns this definition as optional: without any handler for it, there is no server. By
   * default, the context then does not start.
   */
  public TaskServerDefinition optional() {
    return new TaskServerDefinition(
        name, settings, redis, phase, autoStartup, enabled, true, queuesOfHandlers);
  }

  /**
   * Returns this definition with the queues that its handlers name, and {@code default}, each with
   * weight 1. Settings can change them and add more.
   */
  public TaskServerDefinition withQueuesOfHandlers() {
    return new TaskServerDefinition(
        name, settings, redis, phase, autoStartup, enabled, optional, true);
  }

  /** Returns the name, which {@link TaskHandler#server} refers to. */
  public String name() {
    return name;
  }

  /** Returns the settings of the server. */
  public Consumer<TaskServerBuilder> settings() {
    return settings;
  }

  /** Returns the connection; empty for the bean of type RedisConnection. */
  public Optional<RedisConnection> redis() {
    return Optional.ofNullable(redis);
  }

  /** Returns the phase of the lifecycle. */
  public int phase() {
    return phase;
  }

  /** Returns whether the server starts with the context. */
  public boolean isAutoStartup() {
    return autoStartup;
  }

  /** Returns whether the server runs in this process. */
  public boolean isEnabled() {
    return enabled;
  }

  /** Returns whether there is no server if there is no handler for it. */
  public boolean isOptional() {
    return optional;
  }

  /** Returns whether the server serves the queues that its handlers name. */
  public boolean servesQueuesOfHandlers() {
    return queuesOfHandlers;
  }

  @Override
  public String toString() {
    return "TaskServerDefinition[" + name + "]";
  }

  /**
   * A bean with any number of definitions, such as those of a configuration file. If it has none,
   * and there is no other definition, the application runs no server. Read once, when all
   * singletons have been created.
   */
  @FunctionalInterface
  public interface Source {

    List<TaskServerDefinition> definitions();
  }
}
