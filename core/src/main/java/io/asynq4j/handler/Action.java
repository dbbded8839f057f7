package io.asynq4j.handler;

/** A handler for whom returning is success and throwing is failure. Called by many threads. */
@FunctionalInterface
public interface Action<T> {

  void run(T input, TaskContext context) throws Exception;
}
