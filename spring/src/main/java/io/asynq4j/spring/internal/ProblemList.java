package io.asynq4j.spring.internal;

import io.asynq4j.spring.InvalidTaskBeansException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what is wrong with the beans, so that all of it is reported at once. Thread-safe. */
final class ProblemList {

  private final Set<String> problems = new LinkedHashSet<>();

  /** Adds a problem; one that is found twice is reported once. */
  synchronized void add(String problem) {
    problems.add(problem);
  }

  /** Adds a problem of a bean: where, what, and what to do. */
  void add(String where, String problem) {
    add(where + ": " + problem);
  }

  synchronized int size() {
    return problems.size();
  }

  synchronized void throwIfAny() {
    if (!problems.isEmpty()) {
      throw new InvalidTaskBeansException(List.copyOf(problems));
    }
  }
}
