package io.asynq4j.internal.server;

import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.server.ServerListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies all listeners. An exception of one is logged and affects nothing else. */
final class CompositeServerListener implements ServerListener {

  private static final Logger log = LoggerFactory.getLogger(CompositeServerListener.class);

  private final List<ServerListener> listeners;

  CompositeServerListener(List<ServerListener> listeners) {
    this.listeners = listeners;
  }

  private void forEach(Consumer<ServerListener> event) {
    for (ServerListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (Throwable e) {
        // Also errors: the attempt must be settled in any case.
        log.error("listener {} failed; the server continues", listener.getClass().getName(), e);
      }
    }
  }

  @Override
  public void claimed(QueueName queue, int count) {
    forEach(listener -> listener.claimed(queue, count));
  }

  @Override
  public void started(TaskRef task) {
    forEach(listener -> listener.started(task));
  }

  @Override
  public void finished(TaskRef task, Outcome outcome, @Nullable Throwable error, Duration ran) {
    forEach(listener -> listener.finished(task, outcome, error, ran));
  }

  @Override
  public void settled(TaskRef task, Outcome outcome, Duration after) {
    forEach(listener -> listener.settled(task, outcome, after));
  }

  @Override
  public void settledTogether(QueueName queue, int count) {
    forEach(listener -> listener.settledTogether(queue, count));
  }

  @Override
  public void leaseLost(TaskRef task) {
    forEach(listener -> listener.leaseLost(task));
  }

  @Override
  public void stuck(TaskRef task, TaskContext.CancelReason reason, Duration since) {
    forEach(listener -> listener.stuck(task, reason, since));
  }

  @Override
  public void recovered(QueueName queue, String taskId, String action) {
    forEach(listener -> listener.recovered(queue, taskId, action));
  }

  @Override
  public void outageStarted(Throwable cause) {
    forEach(listener -> listener.outageStarted(cause));
  }

  @Override
  public void outageEnded(Duration lasted) {
    forEach(listener -> listener.outageEnded(lasted));
  }
}
