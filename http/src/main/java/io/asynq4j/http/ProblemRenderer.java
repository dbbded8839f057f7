package io.asynq4j.http;

/** Writes problems in the form of one API. Thread-safe. */
@FunctionalInterface
public interface ProblemRenderer {
  ApiResponse render(Problem problem);
}
