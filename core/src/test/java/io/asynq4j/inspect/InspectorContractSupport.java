package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.OperatorActions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Helpers for tests of the inspector. */
interface InspectorContractSupport {

  BrokerFixture redis();

  default Inspector inspector() {
    return InspectorAccess.broker(redis().broker);
  }

  /** Enqueues a task of queue {@code q}. */
  default void enqueue(String id, String type, String payload) {
    enqueue(id, type, payload, o -> o);
  }

  default void enqueue(
      String id, String type, String payload, UnaryOperator<TaskOptions.Builder> options) {
    Task task = Task.of(type, Payload.ofUtf8(payload));
    TaskOptions all = TaskOptions.of(o -> options.apply(o.id(id).queue("q")));
    redis().enqueue(NewTask.of(task, all, redis().clock.instant()));
  }

  /** Has the next pending task fail for good. */
  default void archiveNext(String error) {
    redis().settle(new Settlement.Archive(redis().claimOne(), error));
  }

  static List<String> ids(List<TaskInfo> tasks) {
    return tasks.stream().map(TaskInfo::id).toList();
  }

  /** A broker on which something happens before an operator action is called for the nth time. */
  default Broker before(String method, int call, Runnable action) {
    AtomicInteger calls = new AtomicInteger();
    Interception interception =
        name -> {
          if (name.equals(method) && calls.incrementAndGet() == call) {
            action.run();
          }
          return null;
        };
    Broker broker = redis().broker;
    OperatorActions actions = proxy(OperatorActions.class, broker.actions(), interception);
    return proxy(Broker.class, broker, name -> name.equals("actions") ? actions : null);
  }

  /** Answers instead of a method, or null to let it be called. */
  interface Interception {
    @Nullable Object on(String method);
  }

  private static <T> T proxy(Class<T> type, T target, Interception interception) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              Object instead = interception.on(method.getName());
              if (instead != null) {
                return instead;
              }
              try {
                return method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
