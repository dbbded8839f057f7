package io.asynq4j.benchmarks.compare;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * A library in the comparison: enqueues tasks with a text, and handles them with one worker at a
 * time. {@link ContenderCommandLoop} calls it. Enqueueing is called by many threads concurrently,
 * everything else by one thread.
 */
public interface Contender extends AutoCloseable {

  /** Names, versions and setup, in one line. */
  String description();

  /** Starts a worker that runs this many handlers concurrently. */
  void start(String queue, int concurrency, Consumer<String> handler) throws Exception;

  /** Stops the worker and waits until it has ended. */
  void stop();

  void enqueue(String queue, String text);

  /** Enqueues with the bulk call of the library. */
  void enqueueAll(String queue, List<String> texts);

  /**
   * Enqueues a task that is due later.
   *
   * @param precise to the millisecond, if the library has a choice
   */
  void schedule(String queue, String text, Instant due, boolean precise);

  /** Number of waiting and running tasks, as reported by the library. */
  long left(String queue);

  /** Deletes all data from a store other than our own Redis. */
  default void clear() {}

  @Override
  void close();
}
