package io.asynq4j;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * Gives a class of tests new servers after a test that failed. Such a test may have left its
 * servers paused, busy or in disagreement, and those after it would fail because of that.
 *
 * <p>For classes with one instance for all tests, whose {@code @BeforeAll} starts all servers and
 * whose {@code @AfterAll} stops them.
 */
public final class RestartServersAfterFailure implements AfterEachCallback {

  /** Created by JUnit. */
  public RestartServersAfterFailure() {}

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    Throwable failure = context.getExecutionException().orElse(null);
    if (failure == null || failure instanceof TestAbortedException) {
      return;
    }
    Object tests = context.getRequiredTestInstance();
    try {
      run(tests, AfterAll.class);
    } catch (ReflectiveOperationException e) {
      failure.addSuppressed(e);
    }
    run(tests, BeforeAll.class);
  }

  private static void run(Object tests, Class<? extends Annotation> annotation)
      throws ReflectiveOperationException {
    List<Method> methods = new ArrayList<>();
    for (Class<?> type = tests.getClass(); type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        if (method.isAnnotationPresent(annotation)) {
          methods.add(method);
        }
      }
    }
    for (Method method : methods) {
      method.setAccessible(true);
      method.invoke(tests);
    }
  }
}
