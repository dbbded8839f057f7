package io.asynq4j.service.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.TaskService;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Hosted tasks that call URLs. */
@TestInstance(Lifecycle.PER_CLASS)
class HttpTaskHandlerIT {

  private static final String SECRET = "a secret of more than 16";

  /** What was received. */
  private record Call(HttpExchange exchange, String body) {
    String header(String name) {
      return exchange.getRequestHeaders().getFirst(name);
    }
  }

  private HttpServer target;
  private ServiceFixture fixture;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger wrapped = new AtomicInteger();
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);

  @BeforeAll
  void start() throws IOException {
    target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    target.setExecutor(Executors.newCachedThreadPool());
    target.createContext("/", this::serve);
    target.start();
    fixture = new ServiceFixture();
    StringBuilder tasks = new StringBuilder();
    for (String name : List.of("ok", "big", "busy", "bad", "moved", "hang")) {
      tasks.append(
          "  %s: { kind: http, retention: 1h, http: { url: \"http://127.0.0.1:%d/%s\", resultLimit: 1KiB, secret: \"%s\" } }\n"
              .formatted(name, target.getAddress().getPort(), name, SECRET));
    }
    fixture.start(
        TaskService.builder(fixture.config("http: { allow: [127.0.0.1] }\ntasks:\n" + tasks))
            .use(
                (task, context, next) -> {
                  wrapped.incrementAndGet();
                  return next.call();
                }));
  }

  @AfterAll
  void stop() {
    fixture.close();
    target.stop(0);
  }

  private void serve(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    calls.add(new Call(exchange, new String(body, StandardCharsets.UTF_8)));
    switch (exchange.getRequestURI().getPath()) {
      case "/ok" -> answer(exchange, 200, "{\"done\":true}");
      case "/big" -> answer(exchange, 200, "x".repeat(100_000));
      case "/busy" -> {
        exchange.getResponseHeaders().add("Retry-After", "3600");
        answer(exchange, 503, "later");
      }
      case "/bad" -> answer(exchange, 400, "no such user");
      case "/moved" -> {
        exchange.getResponseHeaders().add("Location", "/ok");
        answer(exchange, 302, "");
      }
      default -> {
        hanging.countDown();
        try (OutputStream out = exchange.getResponseBody()) {
          exchange.sendResponseHeaders(200, 0);
          while (true) {
            out.write('.');
            out.flush();
            Thread.sleep(20); // the caller's end of the connection is what this waits for
          }
        } catch (IOException | InterruptedException e) {
          closed.countDown();
        }
      }
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  private TaskInfo run(String name, TaskState expected) {
    String body = "{\"name\":\"%s\",\"id\":\"1\",\"params\":{\"user\":7}}".formatted(name);
    assertThat(fixture.post("/v1/tasks", body).status()).isEqualTo(201);
    await().until(() -> fixture.inspector.queue(name).task("1").state() == expected);
    return fixture.inspector.queue(name).task("1");
  }

  @Test
  void aSuccessKeepsTheAnswerAndTheCallIsSigned() throws Exception {
    TaskInfo task = run("ok", TaskState.COMPLETED);
    assertThat(task.result().utf8()).isEqualTo("{\"done\":true}");
    assertThat(wrapped.get()).isPositive();
    Call call =
        calls.stream()
            .filter(each -> "ok".equals(each.header("X-Asynq-Task-Name")))
            .findFirst()
            .orElseThrow();
    assertThat(call.body()).isEqualTo("{\"user\":7}");
    assertThat(call.header("X-Asynq-Task-Id")).isEqualTo("1");
    assertThat(call.header("X-Asynq-Attempt")).isEqualTo("1");
    assertThat(call.header("X-Asynq-Deadline")).endsWith("Z");
    String[] signature = call.header("X-Asynq-Signature").substring(2).split(",v1=", -1);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    byte[] expected =
        mac.doFinal((signature[0] + ".1.1.{\"user\":7}").getBytes(StandardCharsets.UTF_8));
    assertThat(signature[1]).isEqualTo(HexFormat.of().formatHex(expected));
  }

  @Test
  void aLargeAnswerIsCut() {
    assertThat(run("big", TaskState.COMPLETED).result().size()).isEqualTo(1024);
  }

  @Test
  void aBusyServerIsCalledAgainAfterItsRetryAfterTime() {
    TaskInfo task = run("busy", TaskState.RETRY);
    assertThat(task.lastError()).contains("503").contains("later");
    assertThat(task.nextProcessAt())
        .isAfter(fixture.redis.clock().instant().plus(Duration.ofMinutes(59)));
  }

  @Test
  void aRefusalArchivesWithTheStartOfTheAnswer() {
    assertThat(run("bad", TaskState.ARCHIVED).lastError()).contains("400").contains("no such user");
  }

  @Test
  void aRedirectIsNotFollowed() {
    assertThat(run("moved", TaskState.ARCHIVED).lastError())
        .contains("302")
        .contains("redirects are not followed");
  }

  @Test
  void aNameThatResolvesToAnInnerAddressIsNotCalled() {
    try (ServiceFixture own = new ServiceFixture()) {
      own.start(
          """
          http: { allow: [localhost] }
          tasks: { inner: { kind: http, http: { url: "http://localhost:%d/ok" } } }
          """
              .formatted(target.getAddress().getPort()));
      own.post("/v1/tasks", "{\"name\":\"inner\",\"id\":\"1\"}");
      await().until(() -> own.inspector.queue("inner").task("1").state() == TaskState.RETRY);
      assertThat(own.inspector.queue("inner").task("1").lastError()).contains("private address");
    }
    assertThat(calls.stream().filter(c -> "inner".equals(c.header("X-Asynq-Task-Name")))).isEmpty();
  }

  @Test
  void aCancellationClosesTheCall() throws InterruptedException {
    fixture.post("/v1/tasks", "{\"name\":\"hang\",\"id\":\"1\"}");
    assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();
    await().until(() -> fixture.inspector.queue("hang").task("1").state() == TaskState.ACTIVE);
    fixture.post("/v1/tasks/1/cancel?name=hang", "");
    assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
    await().until(() -> fixture.inspector.queue("hang").task("1").state() == TaskState.ARCHIVED);
  }
}
