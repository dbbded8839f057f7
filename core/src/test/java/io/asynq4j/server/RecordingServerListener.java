package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.handler.TaskContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Writes down what a server tells, as lines such as {@code finished a ARCHIVED}. */
final class RecordingServerListener implements ServerListener {

  private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

  List<String> lines() {
    return List.copyOf(lines);
  }

  List<String> lines(String start) {
    return lines.stream().filter(line -> line.startsWith(start)).toList();
  }

  @Override
  public void claimed(QueueName queue, int count) {
    lines.add("claimed " + queue + " " + count);
  }

  @Override
  public void started(TaskRef task) {
    lines.add("started " + task.id());
  }

  @Override
  public void finished(TaskRef task, Ending ending, @Nullable Throwable error, Duration ran) {
    lines.add("finished " + task.id() + " " + ending);
  }

  @Override
  public void settled(TaskRef task, Ending ending, Duration after) {
    lines.add("settled " + task.id() + " " + ending);
  }

  @Override
  public void leaseLost(TaskRef task) {
    lines.add("leaseLost " + task.id());
  }

  @Override
  public void stuck(TaskRef task, TaskContext.CancelReason reason, Duration since) {
    lines.add("stuck " + task.id() + " " + reason);
  }

  @Override
  public void recovered(QueueName queue, String taskId, String action) {
    lines.add("recovered " + taskId + " " + action);
  }

  @Override
  public void outageStarted(Throwable cause) {
    lines.add("outageStarted");
  }

  @Override
  public void outageEnded(Duration lasted) {
    lines.add("outageEnded");
  }
}
