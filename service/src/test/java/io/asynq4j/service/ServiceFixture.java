package io.asynq4j.service;

import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.http.Json;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.response.Problems;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** A Redis, replicas of the service on it, and a client. */
public final class ServiceFixture implements AutoCloseable {

  /** A response with its JSON, if any. */
  public record Reply(int status, String body, HttpResponse<String> response) {
    JsonNode json() {
      return Json.parse(body.getBytes(StandardCharsets.UTF_8), "the answer", Problems.FACTORY);
    }

    public JsonNode at(String pointer) {
      return json().at(pointer);
    }

    public String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }

  final EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
  public final RedisConnection redis = RedisConnection.open(server.uri());
  public final Inspector inspector = Inspector.create(redis);
  public final TaskClient client = TaskClient.create(redis);
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<TaskService> replicas = new ArrayList<>();

  public ServiceConfig config(String yaml) {
    String listening = yaml.contains("listen:") ? "" : "listen: { port: 0 }\n";
    return ServiceConfig.parse(
        "test.yaml", "redis: { url: \"" + server.uri() + "\" }\n" + listening + yaml, Map.of());
  }

  public TaskService start(String yaml) {
    return start(TaskService.builder(config(yaml)));
  }

  public TaskService start(TaskService.Builder builder) {
    TaskService replica = builder.start();
    replicas.add(replica);
    return replica;
  }

  String url() {
    return "http://127.0.0.1:" + replicas.get(replicas.size() - 1).port();
  }

  public Reply post(String path, String json, String... headers) {
    return send("POST", path, json, headers);
  }

  public Reply get(String path, String... headers) {
    return send("GET", path, "", headers);
  }

  public Reply send(String method, String path, String body, String... headers) {
    return sendAsync(method, path, body, headers).join();
  }

  public CompletableFuture<Reply> sendAsync(
      String method, String path, String body, String... headers) {
    return sendAsync(url(), method, path, body, headers);
  }

  /** To one of several replicas. */
  public Reply postTo(TaskService replica, String path, String body, String... headers) {
    return sendAsync("http://127.0.0.1:" + replica.port(), "POST", path, body, headers).join();
  }

  private CompletableFuture<Reply> sendAsync(
      String base, String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(60))
            .method(method, BodyPublishers.ofString(body));
    boolean typed = false;
    for (int i = 0; i + 1 < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
      typed |= headers[i].equals("Content-Type");
    }
    if (!typed) {
      request.header("Content-Type", "application/json");
    }
    return http.sendAsync(request.build(), BodyHandlers.ofString())
        .thenApply(response -> new Reply(response.statusCode(), response.body(), response));
  }

  /** The reply of Redis to a command, as text. */
  public String redis(String command) throws IOException {
    URI address = URI.create(server.uri());
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
      DataInputStream answer = new DataInputStream(socket.getInputStream());
      StringBuilder line = new StringBuilder();
      int next;
      while ((next = answer.readUnsignedByte()) != '\n') {
        line.append((char) next);
      }
      String first = line.toString().strip();
      if (!first.startsWith("$")) {
        return first;
      }
      byte[] text = new byte[Integer.parseInt(first.substring(1))];
      answer.readFully(text);
      return new String(text, StandardCharsets.UTF_8);
    }
  }

  /** Number of script calls. */
  public long scriptCalls() throws IOException {
    Matcher calls =
        Pattern.compile("cmdstat_evalsha:calls=(\\d+)").matcher(redis("INFO commandstats"));
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  @Override
  public void close() {
    replicas.forEach(TaskService::close);
    client.close();
    redis.close();
    server.close();
  }
}
