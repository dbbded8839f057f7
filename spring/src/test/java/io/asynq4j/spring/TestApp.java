package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** An application context with components of a test, on a Redis of its own. */
final class TestApp implements AutoCloseable {

  private static final String NO_REDIS = "redis://127.0.0.1:1?retryFor=0s";

  private final @Nullable EmbeddedRedis redis;
  private final AnnotationConfigApplicationContext context;

  private TestApp(@Nullable EmbeddedRedis redis, Builder builder, Class<?>... components) {
    this.redis = redis;
    this.context = new AnnotationConfigApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", builder.properties));
    context.setClassLoader(builder.classLoader);
    String uri = redis == null ? NO_REDIS : redis.uri();
    context.registerBean(RedisConnection.class, () -> RedisConnection.lazy(RedisConfig.parse(uri)));
    context.register(AsynqConfiguration.class);
    context.register(components);
  }

  static Builder builder() {
    return new Builder();
  }

  /** Starts an application without properties. */
  static TestApp start(Class<?>... components) {
    return builder().start(components);
  }

  /** Returns the problems for which an application with these components does not start. */
  static List<String> problems(Class<?>... components) {
    return builder().problems(components);
  }

  /** Settings of the application context. */
  static final class Builder {

    private final Map<String, Object> properties = new HashMap<>();
    private ClassLoader classLoader = TestApp.class.getClassLoader();

    Builder property(String name, Object value) {
      properties.put(name, value);
      return this;
    }

    Builder classLoader(ClassLoader loader) {
      this.classLoader = loader;
      return this;
    }

    TestApp start(Class<?>... components) {
      TestApp app = new TestApp(EmbeddedRedis.builder().ephemeral().start(), this, components);
      try {
        app.context.refresh();
        return app;
      } catch (RuntimeException e) {
        app.close();
        throw e;
      }
    }

    List<String> problems(Class<?>... components) {
      try (TestApp app = new TestApp(null, this, components)) {
        return assertThatExceptionOfType(InvalidTaskBeansException.class)
            .isThrownBy(app.context::refresh)
            .actual()
            .problems();
      }
    }
  }

  AnnotationConfigApplicationContext context() {
    return context;
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  TaskTypes types() {
    return bean(TaskTypes.class);
  }

  /** Enqueues a task with the only type of its input. */
  @SuppressWarnings("unchecked")
  TaskInfo enqueue(Object input) {
    return bean(TaskClient.class)
        .enqueue(types().of((Class<Object>) input.getClass()), input)
        .orThrow();
  }

  TaskInfo enqueue(String type, Map<String, String> headers) {
    return bean(TaskClient.class)
        .enqueue(Task.of(type).withHeaders(headers), o -> o.retention(Duration.ofHours(1)))
        .orThrow();
  }

  /** Enqueues a task without payload, with the options of its type. */
  @SuppressWarnings("unchecked")
  TaskInfo enqueueNamed(String type) {
    return bean(TaskClient.class)
        .enqueue((TaskType<Void>) types().find(type).orElseThrow())
        .orThrow();
  }

  void closeContext() {
    context.close();
  }

  /** Returns the task when it is in a state. */
  TaskInfo await(TaskInfo enqueued, TaskState state) {
    return Awaitility.await()
        .until(
            () -> bean(Inspector.class).queue(enqueued.queue().value()).task(enqueued.id()),
            task -> task.state() == state);
  }

  /** Returns the result of a task, as text, when it has completed. */
  String result(TaskInfo enqueued) {
    return await(enqueued, TaskState.COMPLETED).result().utf8();
  }

  /** Returns the result of a task without payload, as text. */
  String resultOf(String type) {
    return result(enqueue(type, Map.of()));
  }

  @Override
  public void close() {
    context.close();
    if (redis != null) {
      redis.close();
    }
  }
}
