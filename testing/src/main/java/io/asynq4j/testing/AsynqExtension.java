package io.asynq4j.testing;

import io.asynq4j.Task;
import io.asynq4j.client.TaskClient;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.Handler;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServerBuilder;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.AssertionFailedError;

/**
 * The extension behind {@link AsynqTest}, for tests that need settings:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final AsynqExtension asynq =
 *     AsynqExtension.create().handlers(mux).server(s -> s.retryPolicy(RetryPolicy.fixed(ofMinutes(1))));
 * }</pre>
 *
 * <p>The classes that run at the same time have a Redis process each. The methods of a class share
 * one, so those that JUnit runs in parallel wait for each other.
 */
public final class AsynqExtension
    implements BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        ParameterResolver {

  private static final Namespace NAMESPACE = Namespace.create(AsynqExtension.class);

  private static final Map<Class<?>, Function<AsynqTestEnvironment, Object>> PARAMETERS =
      Map.of(
          AsynqTestEnvironment.class,
          environment -> environment,
          TestQueues.class,
          AsynqTestEnvironment::tasks,
          TaskClient.class,
          AsynqTestEnvironment::client,
          RedisConnection.class,
          AsynqTestEnvironment::redis,
          Inspector.class,
          AsynqTestEnvironment::inspector,
          Clock.class,
          AsynqTestEnvironment::clock);

  private final AsynqTestEnvironment.Builder settings = AsynqTestEnvironment.builder();
  private volatile @Nullable ClassScope current;

  /** For {@link AsynqTest}; call {@link #create} to register an extension with settings. */
  public AsynqExtension() {}

  /** Returns an extension with default settings. */
  public static AsynqExtension create() {
    return new AsynqExtension();
  }

  /** Sets the handlers, see {@link AsynqTestEnvironment.Builder#handlers}. */
  public AsynqExtension handlers(Handler<Task> handlers) {
    settings.handlers(handlers);
    return this;
  }

  /** Sets how outcomes are applied, see {@link AsynqTestEnvironment.Builder#server}. */
  public AsynqExtension server(Consumer<TaskServerBuilder> server) {
    settings.server(server);
    return this;
  }

  /** Sets the codec of the connection. Default: {@link PayloadCodec#json()}. */
  public AsynqExtension codec(PayloadCodec codec) {
    settings.codec(codec);
    return this;
  }

  /** Sets the time at which each test starts. Default: the present, to the second. */
  public AsynqExtension startingAt(Instant time) {
    settings.startingAt(time);
    return this;
  }

  // ---- for fields of tests

  /** Returns the environment of the running class. */
  public AsynqTestEnvironment environment() {
    ClassScope scope = current;
    if (scope == null) {
      throw new IllegalStateException(
          "no test runs with this extension: register it with @RegisterExtension, in a static field if @BeforeAll uses it, and call it only while a test of the class runs");
    }
    return scope.environment();
  }

  /** Returns the assertions, and what runs handlers and moves the clock. */
  public TestQueues tasks() {
    return environment().tasks();
  }

  /** Returns a client for the application under test. */
  public TaskClient client() {
    return environment().client();
  }

  /** Returns the connection for the application under test. */
  public RedisConnection redis() {
    return environment().redis();
  }

  /** Returns an inspector. */
  public Inspector inspector() {
    return environment().inspector();
  }

  /** Returns the clock that {@link TestQueues#advance} moves. */
  public Clock clock() {
    return environment().clock();
  }

  // ---- JUnit

  @Override
  public void beforeAll(ExtensionContext context) {
    if (scopeOf(context) == null) {
      open(context);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    ClassScope scope = scopeOf(context);
    if (scope == null) {
      // Registered in a field that is not static, so there was no call before all tests.
      scope = open(context);
    }
    scope.enter(context.getUniqueId(), context.getDisplayName());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    ClassScope scope = scopeOf(context);
    if (scope == null || !scope.isTurnOf(context.getUniqueId())) {
      return;
    }
    List<Fault> unused = scope.environment().tasks().pendingFaults();
    try {
      scope.environment().reset();
    } finally {
      scope.leave();
      close(context);
    }
    if (!unused.isEmpty() && context.getExecutionException().isEmpty()) {
      throw new AssertionFailedError(
          "failNext%s was requested and never happened: the test made no call that it applies to, or made it before failNext"
              .formatted(unused));
    }
  }

  private @Nullable ClassScope scopeOf(ExtensionContext context) {
    return context.getStore(NAMESPACE).get(this, ClassScope.class);
  }

  private ClassScope open(ExtensionContext context) {
    synchronized (this) {
      ClassScope running = current;
      if (running != null) {
        throw new IllegalStateException(
            "this AsynqExtension is used by %s and %s at the same time: give each class its own, or run them one after the other with @Execution(SAME_THREAD)"
                .formatted(running.owner(), context.getDisplayName()));
      }
      ClassScope scope =
          new ClassScope(context.getUniqueId(), context.getDisplayName(), settings.start());
      context.getStore(NAMESPACE).put(this, scope);
      current = scope;
      return scope;
    }
  }

  /** Closes the environment if it was opened for this context, not for one around it. */
  private void close(ExtensionContext context) {
    ClassScope scope = scopeOf(context);
    if (scope != null && scope.contextId().equals(context.getUniqueId())) {
      context.getStore(NAMESPACE).remove(this);
      current = null;
      scope.environment().close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return PARAMETERS.containsKey(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ClassScope scope = scopeOf(context);
    if (scope == null) {
      // A class with one instance is created before the call before all tests.
      scope = open(context);
    }
    Function<AsynqTestEnvironment, Object> value =
        PARAMETERS.get(parameter.getParameter().getType());
    if (value == null) {
      throw new IllegalStateException("unsupported parameter " + parameter);
    }
    return value.apply(scope.environment());
  }
}
