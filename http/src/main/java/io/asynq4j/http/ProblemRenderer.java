package io.asynq4j.http;

/** Renders problems in the format of one API. Thread-safe. */
@FunctionalInterface
public interface ProblemRenderer {
  ApiResponse render(Problem problem);
}
