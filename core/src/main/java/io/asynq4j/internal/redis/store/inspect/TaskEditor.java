package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.inspect.TaskEdits;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.codec.TaskRow;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Redis implementation of edits: a script compares the task with what was read. */
public record TaskEditor(ScriptRunner scripts, TaskReader tasks) implements TaskEdits {

  /** Limit of attempts to read a task that changes concurrently. */
  private static final int MOST_LOOKS = 20;

  @Override
  public void updatePayload(QueueName queue, String id, Payload payload) {
    update(
        queue,
        id,
        stored ->
            stored.withPayload(
                payload,
                stored.uniqueKey().isEmpty()
                    ? ""
                    : RedisKeys.unique(queue, stored.type(), payload)));
  }

  @Override
  public void updateHeaders(
      QueueName queue, String id, UnaryOperator<Map<String, String>> newHeaders) {
    update(
        queue,
        id,
        stored ->
            stored.withHeaders(
                // This validates the headers.
                Task.of("headers").withHeaders(newHeaders.apply(stored.headers())).headers()));
  }

  private void update(QueueName queue, String id, UnaryOperator<TaskMessage> change) {
    TaskRow row = tasks.row(queue, id);
    TaskMessage stored = TaskReader.message(row);
    TaskMessage changed = change.apply(stored);
    CommandArgs args =
        new CommandArgs(5)
            .add(id)
            .add(row.message())
            .add(MessageCodec.encode(changed))
            .add(stored.uniqueKey())
            .add(changed.uniqueKey());
    Object reply = scripts.run(Script.UPDATE, queue, args);
    String text = reply instanceof Long ? "" : ReplyParser.text(reply);
    if (text.startsWith("lock:")) {
      throw new TaskStateException(
          queue, id, "would conflict with the unique task " + text.substring("lock:".length()));
    }
    if (!isDone(queue, id, TaskAction.EDIT, reply)) {
      throw changedMeanwhile(queue, id);
    }
  }

  /** Reads the task again if another client changes it between the read and the deletion. */
  @Override
  public boolean deleteIf(QueueName queue, String id, Predicate<TaskInfo> condition) {
    for (int tries = 0; tries < MOST_LOOKS; tries++) {
      TaskRow row = tasks.row(queue, id);
      if (!condition.test(TaskReader.info(row))) {
        return false;
      }
      CommandArgs args = new CommandArgs(3).addEmpty().add(row.fingerprint()).add(id);
      Object reply = scripts.runList(Script.DELETE, queue, args).get(0);
      if (isDone(queue, id, TaskAction.DELETE, reply)) {
        return true;
      }
    }
    throw changedMeanwhile(queue, id);
  }

  /** Returns false if the task has changed since it was read. */
  private static boolean isDone(
      QueueName queue, String id, TaskAction action, @Nullable Object reply) {
    if (!(reply instanceof Long code)) {
      throw new TaskStateException(
          queue, id, action.refusal(TaskState.ofWord(ReplyParser.text(reply))));
    }
    if (code == 0) {
      throw new TaskNotFoundException(queue, id);
    }
    return code == 1;
  }

  private static TaskStateException changedMeanwhile(QueueName queue, String id) {
    return new TaskStateException(
        queue, id, "was changed by another client; read it again, then retry");
  }
}
