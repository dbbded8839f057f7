package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.http.Json;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** A real Redis, empty for each test, dashboards on it, and methods for requests. */
@SuppressWarnings("NullAway.Init") // Set before each test.
public final class DashboardFixture
    implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

  public EmbeddedRedis server;
  public RedisConnection redis;
  public TaskClient client;
  public Inspector inspector;
  private final List<Dashboard> dashboards = new ArrayList<>();
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  @Override
  public void beforeAll(ExtensionContext context) {
    server = EmbeddedRedis.builder().ephemeral().start();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (!server.isRunning()) {
      server.restart();
    }
    try (Jedis jedis = jedis()) {
      jedis.flushAll();
    }
    connect(server.uri());
  }

  private void connect(String uri) {
    redis = RedisConnection.open(uri);
    client = TaskClient.builder(redis).maxPayload(64 << 20).build();
    inspector = Inspector.create(redis);
  }

  /** Connects again with a long command timeout, for payloads that a busy machine sends slowly. */
  public void expectSlowCommands() {
    disconnect();
    connect(server.uri() + "?commandTimeout=60s");
  }

  private void disconnect() {
    client.close();
    redis.close();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    dashboards.forEach(Dashboard::close);
    dashboards.clear();
    disconnect();
    if (context.getExecutionException().isPresent()) {
      // The test may have left it paused or busy.
      server.close();
      beforeAll(context);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    server.close();
  }

  public Jedis jedis() {
    return new Jedis(server.host(), server.port());
  }

  public Dashboard start(UnaryOperator<Dashboard.Builder> settings) {
    Dashboard dashboard =
        settings.apply(Dashboard.builder(redis).port(0).refresh(Duration.ofMillis(100))).start();
    dashboards.add(dashboard);
    return dashboard;
  }

  public Dashboard start() {
    return start(builder -> builder);
  }

  public String enqueue(String queue, String type, UnaryOperator<TaskOptions.Builder> options) {
    return client.enqueue(Task.of(type), o -> options.apply(o).queue(queue)).orThrow().id();
  }

  public String enqueue(String queue) {
    return enqueue(queue, "t", o -> o);
  }

  /** A response, with accessors for tests. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  public record Answer(int status, Map<String, List<String>> headers, byte[] bytes) {

    public String text() {
      return new String(bytes, StandardCharsets.UTF_8);
    }

    public JsonNode json() {
      return Json.read(bytes).orElseThrow(() -> new AssertionError("not JSON: " + text()));
    }

    public String header(String name) {
      return headers.entrySet().stream()
          .filter(entry -> entry.getKey().equalsIgnoreCase(name))
          .map(entry -> entry.getValue().get(0))
          .findFirst()
          .orElse("");
    }

    public Answer is(int expected) {
      assertThat(status).as(text()).isEqualTo(expected);
      return this;
    }

    /** A problem of this kind. */
    public Answer isProblem(int expected, String word) {
      is(expected);
      assertThat(header("Content-Type")).isEqualTo("application/problem+json");
      assertThat(json().get("type").stringValue()).isEqualTo("urn:asynq4j:problem:" + word);
      assertThat(json().get("status").intValue()).isEqualTo(expected);
      assertThat(json().get("detail").stringValue()).isNotBlank();
      return this;
    }
  }

  /** Builder of a request. */
  public final class Call {
    private final HttpRequest.Builder request;
    private boolean isPlain;

    Call(Dashboard dashboard, String path) {
      request =
          HttpRequest.newBuilder(dashboard.uri().resolve(path.substring(1)))
              .timeout(Duration.ofSeconds(30));
    }

    Call header(String name, String value) {
      request.setHeader(name, value);
      return this;
    }

    Call basic(String user, String password) {
      return header(
          "Authorization",
          "Basic "
              + Base64.getEncoder()
                  .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)));
    }

    Call bearer(String token) {
      return header("Authorization", "Bearer " + token);
    }

    /** As another site would send it, without the header that only the page sets. */
    Call plain() {
      isPlain = true;
      return this;
    }

    public Answer get() {
      request.GET();
      return send();
    }

    public Answer post(String json) {
      return change("POST", json);
    }

    public Answer put(String json) {
      return change("PUT", json);
    }

    public Answer delete() {
      return change("DELETE", "");
    }

    Answer change(String method, String json) {
      if (!isPlain) {
        header("X-Asynq-Request", "1");
      }
      if (!json.isEmpty()) {
        header("Content-Type", "application/json");
      }
      request.method(method, BodyPublishers.ofString(json));
      return send();
    }

    private Answer send() {
      try {
        HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
        return new Answer(response.statusCode(), response.headers().map(), response.body());
      } catch (IOException e) {
        throw new AssertionError(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }
  }

  public Call call(Dashboard dashboard, String path) {
    return new Call(dashboard, path);
  }

  /** A path of the API. */
  public Call api(Dashboard dashboard, String path) {
    return new Call(dashboard, "/api/v1" + path);
  }

  public URI uri(Dashboard dashboard, String path) {
    return dashboard.uri().resolve(path.substring(1));
  }
}
