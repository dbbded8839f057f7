package io.asynq4j.lease;

/** Tells of tasks that are to stop, until it is closed. Thread-safe. */
public interface CancellationWatch extends AutoCloseable {

  @Override
  void close();
}
