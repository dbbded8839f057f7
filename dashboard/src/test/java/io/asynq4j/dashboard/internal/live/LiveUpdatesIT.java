package io.asynq4j.dashboard.internal.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.DashboardFixture;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.http.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** Live updates, and what they cost. */
class LiveUpdatesIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** An open page. */
  private static final class Viewer implements AutoCloseable {
    private final InputStream body;
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    Viewer(Dashboard dashboard) throws IOException, InterruptedException {
      this(HttpRequest.newBuilder(on.uri(dashboard, "/api/v1/events")));
    }

    Viewer(HttpRequest.Builder request) throws IOException, InterruptedException {
      var response = HTTP.send(request.build(), BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type").orElse(""))
          .startsWith("text/event-stream");
      body = response.body();
      Thread reader = new Thread(this::read, "viewer");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
        String event = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith("event: ")) {
            event = line.substring("event: ".length());
          } else if (line.startsWith("data: ")) {
            events.add(event + " " + line.substring("data: ".length()));
          }
        }
      } catch (IOException e) {
        // An aborted connection is an end too.
      } finally {
        ended.countDown();
      }
    }

    JsonNode next(String kind) throws InterruptedException {
      return next(kind, any -> true);
    }

    /** The data of the next event of a kind that is wanted. */
    JsonNode next(String kind, Predicate<JsonNode> wanted) throws InterruptedException {
      long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      while (System.nanoTime() - end < 0) {
        String event = events.poll(1, TimeUnit.SECONDS);
        if (event != null && event.startsWith(kind + " ")) {
          JsonNode data =
              Json.read(event.substring(kind.length() + 1).getBytes(StandardCharsets.UTF_8))
                  .orElseThrow();
          if (wanted.test(data)) {
            return data;
          }
        }
      }
      throw new AssertionError("no event " + kind);
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }

  @Test
  void aViewerGetsASnapshotAndThenChanges() throws Exception {
    on.enqueue("a");
    on.enqueue("b");
    Dashboard dashboard = on.start();
    on.api(dashboard, "/queues").get().is(200);

    try (Viewer viewer = new Viewer(dashboard)) {
      JsonNode snapshot = viewer.next("snapshot");
      assertThat(snapshot.get("queues").findValuesAsString("queue")).containsExactly("a", "b");
      assertThat(snapshot.at("/overview/queues").intValue()).isEqualTo(2);

      on.enqueue("b");
      JsonNode change = viewer.next("change", each -> !each.get("queues").isEmpty());
      assertThat(change.get("queues")).hasSize(1);
      assertThat(change.at("/queues/0/queue").stringValue()).isEqualTo("b");
      assertThat(change.at("/queues/0/sizes/pending").intValue()).isEqualTo(2);
      assertThat(change.at("/overview/sizes/pending").intValue()).isEqualTo(3);

      on.inspector.queue("a").remove(true);
      change = viewer.next("change", each -> !each.get("removed").isEmpty());
      assertThat(change.at("/removed/0").stringValue()).isEqualTo("a");

      on.api(dashboard, "/jobs")
          .post("{\"action\":\"delete\",\"query\":\"state:pending\"}")
          .is(202);
      JsonNode job = viewer.next("job");
      assertThat(job.get("done").intValue()).isEqualTo(2);
    }
  }

  @Test
  void eventStreamsContainOnlyVisibleQueues() throws Exception {
    on.enqueue("mail");
    on.enqueue("billing");
    Credentials.NewToken token =
        Credentials.newToken("ci", new Grant(Role.OPERATOR, List.of("mail*")));
    Dashboard dashboard =
        on.start(
            builder -> builder.access(a -> a.credentials(Credentials.of(List.of(token.line())))));

    try (Viewer viewer =
        new Viewer(
            HttpRequest.newBuilder(on.uri(dashboard, "/api/v1/events"))
                .header("Authorization", "Bearer " + token.token()))) {
      JsonNode snapshot = viewer.next("snapshot");
      on.enqueue("billing");
      on.enqueue("mail-2");
      // A queue exists before its first task; the previous event may report only the queue.
      JsonNode change =
          viewer.next("change", each -> each.at("/overview/sizes/pending").intValue() == 2);

      assertThat(change.get("queues").findValuesAsString("queue")).containsExactly("mail-2");
      assertThat(snapshot.toString() + change).doesNotContain("billing");
    }
  }

  @Test
  void aHundredViewersCostRedisWhatOneCosts() throws Exception {
    for (int i = 0; i < 20; i++) {
      on.enqueue("q" + i);
    }
    Dashboard dashboard = on.start(builder -> builder.refresh(Duration.ofMillis(200)));
    List<Viewer> viewers = new ArrayList<>();
    try {
      viewers.add(new Viewer(dashboard));
      double one = commandsPerChange(viewers.get(0));
      for (int i = 1; i < 100; i++) {
        viewers.add(new Viewer(dashboard));
      }
      for (Viewer viewer : viewers) {
        viewer.next("change");
      }
      double hundred = commandsPerChange(viewers.get(0));

      assertThat(one).isGreaterThan(20);
      assertThat(hundred).isLessThan(one * 1.3);
    } finally {
      for (Viewer viewer : viewers) {
        viewer.close();
      }
    }
  }

  private static double commandsPerChange(Viewer viewer) throws InterruptedException {
    viewer.events.clear();
    viewer.next("change");
    long before = commands();
    int changes = 10;
    for (int i = 0; i < changes; i++) {
      viewer.next("change");
    }
    return (commands() - before) / (double) changes;
  }

  /** Number of commands that Redis has executed for all clients. */
  private static long commands() {
    try (Jedis jedis = on.jedis()) {
      return jedis
          .info("stats")
          .lines()
          .filter(line -> line.startsWith("total_commands_processed:"))
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void pollingClientsCostNoMoreThanStreams() {
    on.enqueue("a");
    Dashboard dashboard = on.start(builder -> builder.refresh(Duration.ofMinutes(1)));
    on.api(dashboard, "/queues").get().is(200);
    long before = commands();

    for (int i = 0; i < 50; i++) {
      on.api(dashboard, "/queues").get().is(200);
      on.api(dashboard, "/overview").get().is(200);
    }

    // Not none: without viewers there is a look every ten seconds, and it takes some twenty.
    assertThat(commands() - before).isLessThan(100);
  }

  @Test
  void theHistoryCountsProcessedTasksOfTheLastHour() {
    on.enqueue("a");
    Dashboard dashboard = on.start();
    on.api(dashboard, "/queues").get().is(200);
    try (Jedis jedis = on.jedis()) {
      jedis.set("asynq:{a}:processed", "7");
      jedis.set("asynq:{a}:failed", "2");
    }

    await()
        .untilAsserted(
            () -> {
              on.api(dashboard, "/queues").get().is(200);
              JsonNode history = on.api(dashboard, "/history?queue=a").get().is(200).json();
              assertThat(history.get("intervalMs").intValue()).isEqualTo(10_000);
              int processed = 0;
              int failed = 0;
              for (JsonNode point : history.get("points")) {
                processed += point.get("processed").intValue();
                failed += point.get("failed").intValue();
              }
              assertThat(processed).isEqualTo(7);
              assertThat(failed).isEqualTo(2);
            });
  }

  @Test
  void theHistoryReturnsSizesAndLatenciesOfTheLastHour() {
    on.enqueue("a");
    on.enqueue("a", "t", o -> o.processIn(Duration.ofHours(1)));
    on.enqueue("b");
    Dashboard dashboard = on.start();
    on.api(dashboard, "/queues").get().is(200);

    JsonNode all = on.api(dashboard, "/history/levels").get().is(200).json();
    JsonNode one = on.api(dashboard, "/history/levels?queue=a").get().is(200).json();

    assertThat(all.get("intervalMs").intValue()).isEqualTo(30_000);
    JsonNode newest = all.get("points").get(all.get("points").size() - 1);
    assertThat(newest.at("/sizes/pending").intValue()).isEqualTo(2);
    assertThat(newest.get("workers").intValue()).isZero();
    assertThat(newest.get("latencyMs").longValue()).isNotNegative();
    JsonNode newestOfOne = one.get("points").get(one.get("points").size() - 1);
    assertThat(newestOfOne.at("/sizes/pending").intValue()).isEqualTo(1);
    assertThat(newestOfOne.at("/sizes/scheduled").intValue()).isEqualTo(1);
    assertThat(on.api(dashboard, "/history/levels?queue=none").get().is(200).text())
        .doesNotContain("\"pending\":1");
  }

  @Test
  void closingTheDashboardClosesItsStreams() throws Exception {
    Dashboard dashboard = on.start();
    try (Viewer viewer = new Viewer(dashboard)) {
      viewer.next("snapshot");

      dashboard.close();

      assertThat(viewer.ended.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }
}
