package io.asynq4j.service;

import io.asynq4j.TaskState;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.Problem;
import io.asynq4j.service.response.Problems;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Enqueues tasks through the task service over HTTP, for Java services without access to Redis.
 * Throws {@link TaskServiceException} if the service refuses a request or does not respond.
 * Thread-safe.
 */
public final class TaskServiceClient {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final URI service;
  private final @Nullable String key;
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  /**
   * @param service URL of the service, such as {@code http://localhost:8080}
   * @param key an API key with the scope submit; null if the service has no keys
   */
  public TaskServiceClient(URI service, @Nullable String key) {
    this.service = service;
    this.key = key;
  }

  /** Enqueues a task with params that Jackson can serialize. */
  public ServiceTask submit(String name, Object params) throws InterruptedException {
    return submit(name, params, null, Duration.ZERO);
  }

  /**
   * Enqueues a task.
   *
   * @param id id of the task; null = the service generates one. With an id, the call is safe to
   *     repeat
   * @param delay time until the task may run
   */
  public ServiceTask submit(String name, Object params, @Nullable String id, Duration delay)
      throws InterruptedException {
    ObjectNode body = Json.object();
    body.put("name", name);
    body.set("params", Json.MAPPER.valueToTree(params));
    if (id != null) {
      body.put("id", id);
    }
    if (!delay.isZero()) {
      body.put("in", delay.toMillis() + "ms");
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(service.resolve("/v1/tasks"))
            .header("Content-Type", ApiResponse.JSON)
            .POST(BodyPublishers.ofByteArray(Json.bytes(body)));
    return send(request, TIMEOUT);
  }

  /** Returns a task. */
  public ServiceTask find(String name, String id) throws InterruptedException {
    return await(name, id, Duration.ZERO);
  }

  /**
   * Waits until a task has ended, and returns it.
   *
   * @param timeout time after which the task is returned as it is; at most a minute
   */
  public ServiceTask await(String name, String id, Duration timeout) throws InterruptedException {
    String path =
        "/v1/tasks/%s?name=%s&wait=%dms".formatted(encoded(id), encoded(name), timeout.toMillis());
    return send(HttpRequest.newBuilder(service.resolve(path)), timeout.plus(TIMEOUT));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private ServiceTask send(HttpRequest.Builder request, Duration timeout)
      throws InterruptedException {
    request.timeout(timeout);
    if (key != null) {
      request.header("Authorization", "Bearer " + key);
    }
    try {
      return task(http.send(request.build(), BodyHandlers.ofByteArray()));
    } catch (IOException e) {
      throw new TaskServiceException(
          0,
          "unavailable",
          "",
          "the task service at %s does not respond: %s; retry, or check its URL"
              .formatted(service, e.getMessage() == null ? e : e.getMessage()),
          e);
    }
  }

  private static ServiceTask task(HttpResponse<byte[]> response) {
    JsonNode body;
    try {
      body = Json.parse(response.body(), "the response", Problems.FACTORY);
    } catch (Problem e) {
      throw new TaskServiceException(
          response.statusCode(),
          "no-json",
          "",
          "the response is not JSON: check the URL of the task service");
    }
    if (response.statusCode() >= 300) {
      JsonNode error = body.path("error");
      throw new TaskServiceException(
          response.statusCode(),
          error.path("code").asString(""),
          error.path("field").asString(""),
          error.path("message").asString("the task service returned " + response.statusCode()));
    }
    JsonNode task = body.path("task");
    return new ServiceTaskRecord(
        task.path("id").asString(""),
        task.path("name").asString(""),
        TaskState.ofWord(task.path("state").asString("")),
        task.path("params").toString(),
        task.has("result") ? task.path("result").toString() : null,
        task.path("error").asString(""),
        task.path("retried").asInt(0));
  }
}
