package io.asynq4j.testing;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a test class, which its tests use one after the other. Thread-safe.
 *
 * @param contextId the context that opened it
 * @param owner the class, for messages
 */
record ClassScope(String contextId, String owner, AsynqTestEnvironment environment, Turn turn) {

  ClassScope(String contextId, String owner, AsynqTestEnvironment environment) {
    this(contextId, owner, environment, new Turn());
  }

  /** Which test runs. */
  static final class Turn {
    private final Semaphore free = new Semaphore(1);
    private volatile @Nullable Thread thread;
    private volatile String testId = "";
    private volatile String test = "";
  }

  /** Waits until no other test of the class runs. */
  void enter(String testId, String test) {
    if (turn.thread == Thread.currentThread()) {
      throw new IllegalStateException(
          "test %s was started inside of test %s, which uses the same Redis: run the methods of %s one after the other with @Execution(SAME_THREAD)"
              .formatted(test, turn.test, owner));
    }
    turn.free.acquireUninterruptibly();
    turn.thread = Thread.currentThread();
    turn.testId = testId;
    turn.test = test;
  }

  /** Returns whether it is the turn of this test: one that could not enter must not leave. */
  boolean isTurnOf(String testId) {
    return turn.thread != null && turn.testId.equals(testId);
  }

  void leave() {
    turn.thread = null;
    turn.free.release();
  }
}
