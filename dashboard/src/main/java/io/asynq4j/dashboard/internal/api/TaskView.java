package io.asynq4j.dashboard.internal.api;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.search.FailureFingerprint;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** JSON of tasks. */
final class TaskView {

  /** Maximum length of an error in lists. */
  private static final int SHORT_ERROR = 500;

  private final PayloadRenderer contents;

  TaskView(PayloadRenderer contents) {
    this.contents = contents;
  }

  /** Returns the fields for lists. */
  JsonFields row(TaskInfo task, RedisInstance source) {
    return fields(task, source, PayloadRenderer.PREVIEW, SHORT_ERROR);
  }

  /** Returns all fields. */
  JsonFields whole(TaskInfo task, RedisInstance source, User user) {
    return fields(task, source, PayloadRenderer.WHOLE, Integer.MAX_VALUE)
        .put(
            "fingerprint",
            contents.isHidden(HiddenField.ERROR) ? null : FailureFingerprint.of(task))
        .put("actions", actions(task.state(), user.grant().role()));
  }

  private JsonFields fields(TaskInfo task, RedisInstance source, int most, int mostOfError) {
    Map<String, String> headers =
        contents.isHidden(HiddenField.HEADERS) ? Map.of() : new TreeMap<>(task.headers());
    String error = contents.isHidden(HiddenField.ERROR) ? "" : task.lastError();
    return new JsonFields()
        .put("id", task.id())
        .put("queue", task.queue().value())
        .put("type", task.type())
        .put("state", task.state().word())
        .put("payload", contents.payload(task.type(), task.payload(), most).map())
        .put("result", contents.result(task.type(), task.result(), most).map())
        .put("headers", headers)
        .put("maxRetry", task.maxRetry())
        .put("retried", task.retried())
        .put("lastError", TextExcerpt.of(error, mostOfError))
        .put("lastFailedAt", task.lastFailedAt())
        .millis("timeoutMs", task.timeout())
        .put("deadline", task.deadline())
        .put("group", task.group().isEmpty() ? null : task.group())
        .put("nextProcessAt", task.nextProcessAt())
        .put("orphaned", task.orphaned())
        .millis("retentionMs", task.retention())
        .put("completedAt", task.completedAt())
        .put("crashes", task.crashes())
        .put("unique", !task.uniqueKey().isEmpty())
        .put("progress", progress(task))
        .put("since", task.since())
        .put("worker", task.state() == TaskState.ACTIVE ? worker(task, source) : null);
  }

  private static @Nullable Object progress(TaskInfo task) {
    return task.progress() == null
        ? null
        : new JsonFields()
            .put("percent", task.progress().percent())
            .put("note", task.progress().note())
            .map();
  }

  /** Returns the worker of the task in the last snapshot. */
  private static @Nullable Object worker(TaskInfo task, RedisInstance source) {
    for (ServerSnapshot server : source.poller().last().servers()) {
      for (WorkerSnapshot worker : server.workers()) {
        if (worker.taskId().equals(task.id()) && worker.queue().equals(task.queue().value())) {
          return new JsonFields()
              .put("server", server.id())
              .put("host", server.host())
              .put("pid", server.pid())
              .put("started", worker.started())
              .put("deadline", worker.deadline())
              .map();
        }
      }
    }
    return null;
  }

  private static List<String> actions(TaskState state, Role role) {
    List<String> actions = new ArrayList<>();
    if (!role.mayDo(Role.OPERATOR)) {
      return actions;
    }
    for (TaskAction action : TaskAction.values()) {
      if (action.isAllowedIn(state)) {
        actions.add(action.word());
      }
    }
    return actions;
  }
}
