package io.asynq4j.service.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.BodyCaller;
import io.asynq4j.http.BodyLimits;
import io.asynq4j.http.Json;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.RawHttp;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.config.ListenAddress;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Requests that fail with an error, and clients that do not read. */
@SuppressWarnings("NullAway.Init") // Set by each test.
class ApiServletTest {

  /** It is never called. */
  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1?retryFor=0s"));

  private final ServiceMetrics metrics = new ServiceMetrics(Inspector.create(redis));
  private final CountDownLatch undelivered = new CountDownLatch(1);
  private WebServer web;

  /** A value that cannot be written. */
  public static final class Unwritable {
    @SuppressWarnings("DoNotCallSuggester") // Called by Jackson.
    public String getText() {
      throw new OutOfMemoryError("as there may be");
    }
  }

  private void start(Route.AsyncEndpoint<Exchange> endpoint) throws Exception {
    RequestRecorder records =
        new RequestRecorder(metrics, new AuditLog(() -> null, Clock.systemUTC()), () -> false);
    web =
        new WebServer(
            new ListenAddress("127.0.0.1", 0, null, null),
            new ApiServlet(
                List.of(Route.async("x", "GET", "/x", null, endpoint)),
                () -> new AccessControl(List.of()),
                records),
            () -> BodyLimits.upTo(1_000),
            authorization -> Optional.of(BodyCaller.alone()));
    web.start();
  }

  @AfterEach
  void stop() {
    web.close();
    metrics.close();
    redis.close();
  }

  private int status() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), web.port())) {
      socket.setSoTimeout(60_000);
      RawHttp.send(socket, "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
      return RawHttp.status(socket);
    }
  }

  private static CompletableFuture<ApiResponse> later(ApiResponse answer) {
    return new CompletableFuture<ApiResponse>()
        .completeAsync(() -> answer, CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
  }

  private ApiResponse unwritable() {
    ObjectNode body = Json.object();
    body.putPOJO("value", new Unwritable());
    return ApiResponse.json(200, body).orElse(undelivered::countDown);
  }

  @Test
  void aRequestThatFailsByAnErrorIsAnsweredAndCounted() throws Exception {
    start(
        exchange -> {
          throw new OutOfMemoryError("as there may be");
        });
    assertThat(status()).isEqualTo(500);
    assertThat(new String(metrics.scrape().body(), java.nio.charset.StandardCharsets.UTF_8))
        .contains(
            "asynq_service_requests_seconds_count{method=\"GET\",route=\"/x\",status=\"500\"}");
  }

  @Test
  void anAnswerThatCannotBeWrittenEndsItsRequestAndIsUndelivered() throws Exception {
    start(exchange -> later(unwritable()));
    assertThat(status()).isEqualTo(500);
    assertThat(undelivered.await(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void anUnreadResponseIsUndeliveredWhenTheClientDisconnects() throws Exception {
    String large = "x".repeat(16 << 20);
    start(
        exchange ->
            CompletableFuture.completedFuture(
                ApiResponse.json(200, Json.object().put("text", large))
                    .orElse(undelivered::countDown)));
    try (Socket socket = RawHttp.openSlow(web.port())) {
      RawHttp.send(socket, "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await().until(() -> web.unsent() > 0);
    }
    assertThat(undelivered.await(1, TimeUnit.MINUTES)).isTrue();
    await().until(() -> web.unsent() == 0);
  }
}
