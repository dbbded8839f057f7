package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Middleware;
import io.asynq4j.internal.server.ProcessSignalRunner;
import io.asynq4j.internal.server.ServerEngine;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Processes tasks: claims them from its queues, calls their handlers and settles the outcomes.
 * Thread-safe.
 *
 * <pre>{@code
 * TaskServer server =
 *     TaskServer.builder(redis)
 *         .handlers(mux)
 *         .concurrency(20)
 *         .queue("mail", q -> q.weight(3).maxActive(5))
 *         .build();
 * server.run();
 * }</pre>
 *
 * <p>A server runs once: {@link #start()} after {@link #stop()} fails, so build a new server
 * instead. {@link #quiet()}, {@link #stop()} and {@link #close()} may be called any number of
 * times, in any order; before the start they have no effect.
 *
 * <p>A server uses a connection and does not close it. Any number of servers, in one process or in
 * many, may serve the same queues, including Go servers.
 */
public final class TaskServer implements AutoCloseable {

  private final ServerEngine engine;

  TaskServer(ServerEngine engine) {
    this.engine = engine;
  }

  /** Returns a builder for a server on this connection. */
  public static TaskServerBuilder builder(RedisConnection redis) {
    return new TaskServerBuilder(redis);
  }

  /**
   * Builds a server for the central list of task definitions. It serves the queues of the names for
   * which it has handlers, with the limits, timeouts and delays of the list, and follows changes of
   * the list. Starting it needs Redis, and fails with an {@code IllegalStateException} if a handler
   * has a name that is not defined; {@link TaskServerBuilder#fromDefinitions} can relax that.
   */
  public static TaskServer fromDefinitions(
      RedisConnection redis,
      List<Middleware> middlewares,
      Map<String, ? extends Handler<Task>> handlers) {
    return builder(redis).fromDefinitions(middlewares, handlers, UnknownNames.REFUSE).build();
  }

  /**
   * Builds a server with default settings, which serves the queue {@code default}, and starts it.
   *
   * <pre>{@code
   * try (TaskServer server = TaskServer.start(redis, handlers)) {
   *   server.awaitStop();
   * }
   * }</pre>
   *
   * @param handlers a {@code Mux}, or one handler for all tasks
   */
  public static TaskServer start(RedisConnection redis, Handler<Task> handlers) {
    TaskServer server = builder(redis).handlers(handlers).build();
    server.start();
    return server;
  }

  /**
   * Starts to process tasks in the background, and returns. Redis need not be reachable yet.
   *
   * @throws IllegalStateException if the server runs or has run
   */
  public void start() {
    engine.start();
  }

  /** Stops claiming tasks, and returns at once. Running handlers and the duties continue. */
  public void quiet() {
    engine.quiet();
  }

  /**
   * Stops the server, and returns when it has stopped. It claims no more tasks, waits for running
   * handlers up to the shutdown timeout, interrupts the remaining ones, and requeues their tasks at
   * the head of their queues. If a queue has limits, a task is requeued only when its handler has
   * returned, or else when its lease expires. Handlers that still run are logged with their stack
   * traces.
   */
  public void stop() {
    engine.stop();
  }

  /** The same as {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }

  /**
   * Starts the server, and returns when a signal has stopped it. TERM and INT stop the server, and
   * a second one ends the process at once; TSTP makes the server quiet.
   */
  public void run() {
    ProcessSignalRunner.run(this);
  }

  /** Waits until the server has stopped. */
  public void awaitStop() throws InterruptedException {
    engine.awaitStop(ChronoUnit.FOREVER.getDuration());
  }

  /** Waits until the server has stopped, for at most this time. Returns whether it has stopped. */
  public boolean awaitStop(Duration most) throws InterruptedException {
    return engine.awaitStop(most);
  }

  /** Returns the current state. */
  public ServerState state() {
    return engine.state();
  }

  /** Returns the current health, for probes. Never waits for Redis. */
  public ServerHealth health() {
    return engine.health();
  }

  /** Returns the ID under which inspectors show this server. */
  public String id() {
    return engine.id();
  }

  /** Returns the number of running handlers. */
  public int running() {
    return engine.running();
  }

  /** Serves one more queue from now on, or changes the weight of a served queue. */
  public void addQueue(String queue, int weight) {
    addQueue(QueueName.of(queue), weight);
  }

  /** Serves one more queue from now on, or changes the weight of a served queue. */
  public void addQueue(QueueName queue, int weight) {
    engine.queues().add(queue, weight);
  }

  /**
   * Stops serving a queue; its running tasks continue. A task that is enqueued after this returns
   * is left to other servers. Returns false if the server did not serve the queue.
   */
  public boolean removeQueue(String queue) {
    return removeQueue(QueueName.of(queue));
  }

  /** Stops serving a queue, see {@link #removeQueue(String)}. */
  public boolean removeQueue(QueueName queue) {
    return engine.queues().remove(queue);
  }

  /** Reads the central list of definitions now, without waiting for the next periodic read. */
  public void followDefinitions() {
    engine.followDefinitions();
  }

  /** Returns the served queues with their weights. */
  public Map<String, Integer> queues() {
    Map<String, Integer> queues = new LinkedHashMap<>();
    engine.queues().weights().forEach((queue, weight) -> queues.put(queue.value(), weight));
    return queues;
  }

  /**
   * Returns whether the server serves a queue, or would serve it if it existed: by its name, by a
   * pattern, or possibly by the central list of definitions.
   */
  public boolean mayServe(QueueName queue) {
    return engine.queues().mayServe(queue);
  }

  /** As {@link #mayServe(QueueName)}. */
  public boolean mayServe(String queue) {
    return mayServe(QueueName.of(queue));
  }

  /** What a server does if it has handlers for names that are not in the central list. */
  public enum UnknownNames {
    /** It does not start. */
    REFUSE,
    /** It starts with a warning, and serves such a name as soon as it is defined. */
    WARN
  }

  /** What a server does for the queue of a task definition. */
  public enum ServingMode {
    /** It processes the tasks. */
    PROCESS,
    /**
     * It processes no tasks, but runs the duties for the servers that do: it makes due tasks
     * pending, recovers tasks of crashed workers, and deletes tasks whose retention has ended.
     */
    UPKEEP,
    /** It ignores the queue. */
    NONE
  }
}
