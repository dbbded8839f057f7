package io.asynq4j.benchmarks.compare;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * A library that is compared: tasks with a text go in, and one worker at a time handles them.
 * {@link ContenderCommandLoop} calls it. Enqueueing comes from many threads at once, everything
 * else from one.
 */
public interface Contender extends AutoCloseable {

  /** Names and versions, and how it is set up, in one line. */
  String description();

  /** Starts a worker with so many handlers at once. */
  void start(String queue, int concurrency, Consumer<String> handler) throws Exception;

  /** Stops the worker, and returns when it is gone. */
  void stop();

  void enqueue(String queue, String text);

  /** By the call that the library has for many. */
  void enqueueAll(String queue, List<String> texts);

  /**
   * A task that is due later.
   *
   * @param precise to the millisecond, where the library has a choice
   */
  void schedule(String queue, String text, Instant due, boolean precise);

  /** How many tasks wait or run, by the library's own word. */
  long left(String queue);

  /** Takes everything out of the store that is not a Redis of ours. */
  default void clear() {}

  @Override
  void close();
}
