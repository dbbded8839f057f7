package io.asynq4j.spring.internal;

import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Handler;
import org.jspecify.annotations.Nullable;

/**
 * A handler of a bean.
 *
 * @param where the bean and the method, for messages
 * @param server the server that runs it; empty for all
 * @param invoker how its method is called; null if the bean itself is the handler
 */
record HandlerDeclaration(
    String beanName,
    String where,
    String server,
    TaskType<?> type,
    Handler<Task> handler,
    @Nullable BeanMethodInvoker invoker) {

  boolean runsOn(String serverName) {
    return server.isEmpty() || server.equals(serverName);
  }
}
