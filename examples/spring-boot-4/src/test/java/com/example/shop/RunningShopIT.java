package com.example.shop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts the application in a process of its own, and calls it over HTTP. */
class RunningShopIT {

  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
  private static final String OPS =
      "Basic " + Base64.getEncoder().encodeToString("ops:ops".getBytes(UTF_8));

  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path directory;
  private String base = "";

  @Test
  void theApplicationWorks() throws Exception {
    Process shop = start(List.of(), "");
    try {
      callEverything();
      assertThat(stop(shop)).isTrue();
    } finally {
      shop.destroyForcibly();
    }
  }

  @Test
  void theApplicationWorksAsItWasProcessedAheadOfTime() throws Exception {
    Path generated = Path.of("target/spring-aot/main/classes").toAbsolutePath();
    assertThat(generated).isDirectory();
    Process shop = start(List.of("-Dspring.aot.enabled=true"), generated + ":");
    try {
      callEverything();
      assertThat(stop(shop)).isTrue();
    } finally {
      shop.destroyForcibly();
    }
  }

  private void callEverything() throws Exception {
    HttpResponse<String> ordered = post("/orders?customer=Ada", null);
    assertThat(ordered.statusCode()).isEqualTo(202);
    await()
        .untilAsserted(
            () -> assertThat(get("/mails/" + ordered.body(), null).body()).isEqualTo("COMPLETED"));
    assertThat(get("/mails/absent", null).statusCode()).isEqualTo(404);

    assertThat(get("/actuator/health", OPS).body())
        .contains("\"asynq4j\"", "\"oldestPending\"", "\"default\":\"active\"");
    assertThat(get("/actuator/asynq", OPS).body()).contains("\"name\":\"mail\"", "\"servers\"");
    assertThat(get("/actuator/asynq/absent", OPS).statusCode()).isEqualTo(404);
    assertThat(get("/actuator/metrics/asynq.task.duration", OPS).statusCode()).isEqualTo(200);

    callDashboard();
  }

  private void callDashboard() throws Exception {
    assertThat(get("/asynq/", null).statusCode()).isEqualTo(401);
    assertThat(get("/asynq/", OPS).body()).contains("<html");
    assertThat(get("/asynq/api/v1/session", OPS).body()).contains("\"role\":\"operator\"");
    await()
        .untilAsserted(
            () -> assertThat(get("/asynq/api/v1/queues", OPS).body()).contains("\"mail\""));
    // Without a token of Spring Security, but not from another site.
    assertThat(post("/asynq/api/v1/queues/mail/pause", OPS).statusCode()).isEqualTo(403);
    assertThat(post("/asynq/api/v1/queues/mail/pause", OPS, "X-Asynq-Request", "1").statusCode())
        .isEqualTo(204);
    assertThat(get("/actuator/asynq/mail", OPS).body()).contains("\"paused\":true");
    HttpResponse<InputStream> events =
        http.send(request("/asynq/api/v1/events", OPS).GET().build(), BodyHandlers.ofInputStream());
    assertThat(events.statusCode()).isEqualTo(200);
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(events.body(), UTF_8))) {
      assertThat(lines.readLine()).isNotNull();
    }
  }

  private Process start(List<String> options, String classpath) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
    command.addAll(options);
    command.addAll(
        List.of(
            "-cp",
            classpath + System.getProperty("java.class.path"),
            "com.example.shop.ShopApplication",
            "--server.port=0"));
    Path log = directory.resolve("log");
    Process shop =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    await()
        .failFast(() -> assertThat(shop.isAlive()).as(Files.readString(log)).isTrue())
        .untilAsserted(() -> assertThat(port(log)).isPresent());
    base = "http://localhost:" + port(log).orElseThrow();
    return shop;
  }

  private static Optional<String> port(Path log) throws IOException {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.map(PORT::matcher).filter(Matcher::find).map(found -> found.group(1)).findAny();
    }
  }

  private static boolean stop(Process shop) throws InterruptedException {
    shop.destroy();
    return shop.waitFor(60, TimeUnit.SECONDS);
  }

  private HttpRequest.Builder request(String path, String... authorization) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
    return authorization.length == 0 ? request : request.header("Authorization", authorization[0]);
  }

  private HttpResponse<String> get(String path, @Nullable String authorization) throws Exception {
    HttpRequest.Builder request =
        authorization == null ? request(path) : request(path, authorization);
    return http.send(request.GET().build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, @Nullable String authorization, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        authorization == null ? request(path) : request(path, authorization);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
  }
}
