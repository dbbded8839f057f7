package io.asynq4j.cli.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.cli.Asynq;
import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestCertificates;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.embedded.EmbeddedRedis;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metrics, as Prometheus scrapes them. */
class ExporterCommandIT {

  private static final Pattern ADDRESS = Pattern.compile("metrics +(https?://\\S+/metrics)\n");
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path home;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private @Nullable Thread command;

  private URI start(CliRunner cli, String... more) {
    String[] words = new String[more.length + 3];
    words[0] = "exporter";
    words[1] = "--port";
    words[2] = "0";
    System.arraycopy(more, 0, words, 3, more.length);
    CompletableFuture<Integer> ended = new CompletableFuture<>();
    command =
        new Thread(
            () -> ended.complete(Asynq.commandLine(cli.environment(out, err)).execute(words)));
    command.start();
    await().until(() -> ended.isDone() || ADDRESS.matcher(CliRunner.text(out)).find());
    Matcher address = ADDRESS.matcher(CliRunner.text(out));
    assertThat(address.find()).as(CliRunner.text(err)).isTrue();
    return URI.create(address.group(1));
  }

  @AfterEach
  void end() throws InterruptedException {
    if (command != null) {
      command.interrupt();
      command.join(TimeUnit.SECONDS.toMillis(10));
      assertThat(command.isAlive()).isFalse();
    }
  }

  private static HttpResponse<String> get(URI address, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(10));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void metricsOfAllQueuesAreServedForPrometheus() throws Exception {
    try (TestDatabase database = new TestDatabase().furnished()) {
      database.inspector().queue("mail").pause();
      URI metrics = start(database.cli(home));

      HttpResponse<String> answer = get(metrics);

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValue("text/plain; version=0.0.4; charset=utf-8");
      assertThat(answer.body().lines())
          .contains(
              "asynq_up 1.0",
              "asynq_queues 4.0",
              "asynq_tasks{queue=\"mail\",state=\"pending\"} 2.0",
              "asynq_tasks{queue=\"mail\",state=\"archived\"} 1.0",
              "asynq_tasks_processed_total{queue=\"mail\"} 2.0",
              "asynq_tasks_failed_total{queue=\"mail\"} 1.0",
              // The names of the exporter of asynq for Go.
              "asynq_queue_size{queue=\"mail\"} 9.0",
              "asynq_tasks_enqueued_total{queue=\"mail\",state=\"retry\"} 1.0",
              "asynq_queue_paused_total{queue=\"mail\"} 1.0")
          .anyMatch(line -> line.startsWith("asynq_queue_latency_seconds{queue=\"mail\"}"))
          .anyMatch(line -> line.startsWith("asynq_queue_memory_usage_approx_bytes{queue="))
          .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"))
          .anyMatch(line -> line.startsWith("process_cpu_usage"));
    }
  }

  @Test
  void thereAreNoOtherCommands() throws Exception {
    try (TestDatabase database = new TestDatabase().furnished()) {
      URI metrics = start(database.cli(home));

      assertThat(get(metrics.resolve("/health")).body()).contains("up");
      assertThat(get(metrics.resolve("/")).statusCode()).isEqualTo(404);
      assertThat(get(metrics.resolve("/")).body()).contains("/metrics");
      for (String path : new String[] {"/api/v1/queues", "/api/v1/session", "/index.html"}) {
        assertThat(get(metrics.resolve(path)).statusCode()).as(path).isEqualTo(404);
      }
    }
  }

  @Test
  void anUnreachableRedisIsReportedAsSuch() throws Exception {
    try (EmbeddedRedis server = EmbeddedRedis.start()) {
      URI metrics = start(new CliRunner(home), "--redis", server.uri());
      server.kill();

      assertThat(get(metrics).body().lines())
          .contains("asynq_up 0.0")
          .anyMatch(line -> line.startsWith("asynq_scrape_errors_total 1"));
    }
  }

  @Test
  void otherAddressesNeedALogin() throws Exception {
    try (TestDatabase database = new TestDatabase().furnished()) {
      Answer refused = database.cli(home).run("exporter", "--port", "0", "--host", "0.0.0.0");
      assertThat(refused.exitCode()).isEqualTo(2);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err())
          .contains("does not listen on 0.0.0.0 without a login", "--credentials FILE");

      Credentials.NewToken token = Credentials.newToken("prometheus", Grant.of(Role.VIEWER));
      Path file = Files.writeString(home.resolve("credentials"), token.line());
      URI metrics =
          local(start(database.cli(home), "--host", "0.0.0.0", "--credentials", file.toString()));

      assertThat(get(metrics).statusCode()).isEqualTo(401);
      HttpResponse<String> answer = get(metrics, "Authorization", "Bearer " + token.token());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("asynq_up 1.0");
    }
  }

  @Test
  void credentialsMayBeInAVariable() throws Exception {
    try (TestDatabase database = new TestDatabase()) {
      Credentials.NewToken token = Credentials.newToken("prometheus", Grant.of(Role.VIEWER));
      URI metrics =
          local(
              start(
                  database.cli(home).variable("ASYNQ_DASHBOARD_CREDENTIALS", token.line()),
                  "--host",
                  "0.0.0.0"));

      assertThat(get(metrics).statusCode()).isEqualTo(401);
      assertThat(get(metrics, "Authorization", "Bearer " + token.token()).statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void itServesHttpsAsTheDashboardDoes() throws Exception {
    Path store = home.resolve("store.p12");
    TestCertificates.makeStore(store, "a long word");
    try (TestDatabase database = new TestDatabase().furnished()) {
      URI metrics =
          start(
              database.cli(home).variable("ASYNQ_DASHBOARD_KEYSTORE_PASSWORD", "a long word"),
              "--tls-keystore",
              store.toString());

      assertThat(metrics.getScheme()).isEqualTo("https");
      HttpResponse<String> answer =
          HttpClient.newBuilder()
              .sslContext(TestCertificates.in(store, "a long word"))
              .build()
              .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("asynq_up 1.0");
    }
  }

  private static URI local(URI address) {
    return URI.create("http://127.0.0.1:" + address.getPort() + address.getPath());
  }

  @Test
  void invalidOptionsAreReportedInOneSentence() throws IOException {
    try (TestDatabase database = new TestDatabase();
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Answer busy =
          database.cli(home).run("exporter", "--port", Integer.toString(taken.getLocalPort()));
      assertThat(busy.exitCode()).isEqualTo(1);
      assertThat(busy.err()).contains("cannot listen on").doesNotContain("\tat ");

      Answer noFile = database.cli(home).run("exporter", "--port", "0", "--credentials", "nosuch");
      assertThat(noFile.exitCode()).isEqualTo(2);
      assertThat(noFile.err()).contains("nosuch").doesNotContain("\tat ");
      assertThat(noFile.err()).contains("--help");
      assertThat(database.cli(home).run("exporter", "--watch").err())
          .contains("does not support --watch");
    }
  }
}
