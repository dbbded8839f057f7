package io.asynq4j.service.response;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON of tasks in responses. */
public final class TaskJson {

  private TaskJson() {}

  public static ObjectNode of(TaskInfo task) {
    return of(task, value(task.payload()));
  }

  /**
   * Returns the JSON of a task.
   *
   * @param params its payload, if already parsed
   */
  public static ObjectNode of(TaskInfo task, JsonNode params) {
    ObjectNode json = Json.object();
    json.put("id", task.id());
    json.put("name", task.type());
    json.put("state", task.state().name().toLowerCase(Locale.ROOT));
    json.set("params", params);
    json.put("retried", task.retried());
    json.put("maxRetry", task.maxRetry());
    if (!task.lastError().isEmpty()) {
      json.put("error", task.lastError());
    }
    time(json, "failedAt", task.lastFailedAt());
    time(json, "runsAt", task.nextProcessAt());
    time(json, "deadline", task.deadline());
    time(json, "completedAt", task.completedAt());
    if (task.progress() != null) {
      json.putObject("progress")
          .put("percent", task.progress().percent())
          .put("note", task.progress().note());
    }
    if (task.result().size() > 0) {
      json.set("result", value(task.result()));
    }
    return json;
  }

  /** Returns a response with the JSON of a task. */
  public static ApiResponse response(int status, ObjectNode task) {
    ObjectNode body = Json.object();
    body.set("task", task);
    return ApiResponse.json(status, body);
  }

  public static void time(ObjectNode json, String field, @Nullable Instant at) {
    if (at != null) {
      json.put(field, at.toString());
    }
  }

  /** Returns the payload as JSON if it is valid JSON, otherwise as a string. */
  public static JsonNode value(Payload payload) {
    if (payload.size() == 0) {
      return Json.object();
    }
    return Json.read(payload.bytes())
        .orElseGet(() -> JsonNodeFactory.instance.stringNode(payload.utf8()));
  }
}
