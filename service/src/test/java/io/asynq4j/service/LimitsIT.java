package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.Json;
import io.asynq4j.service.ServiceFixture.Reply;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Limits across all replicas and workers: rates, order, maximum of running tasks. */
class LimitsIT {

  private static final boolean FULL = Boolean.getBoolean("asynq4j.full");
  private static final int IN_ORDER = FULL ? 10_000 : 1_000;
  private static final int KILLS = FULL ? 6 : 1;

  @TempDir private Path directory;

  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void submit(String name, int count) {
    submit(name, 0, count);
  }

  private void submit(String name, int first, int count) {
    for (int from = first; from < first + count; from += 500) {
      StringBuilder lines = new StringBuilder();
      for (int i = from; i < Math.min(first + count, from + 500); i++) {
        lines.append("{\"name\":\"%s\",\"id\":%d}\n".formatted(name, i));
      }
      Reply reply =
          fixture.post("/v1/tasks", lines.toString(), "Content-Type", "application/x-ndjson");
      assertThat(reply.status()).isEqualTo(200);
    }
  }

  private static Thread worker(Runnable work) {
    Thread thread = new Thread(work);
    thread.start();
    return thread;
  }

  private static void join(List<Thread> threads) {
    threads.forEach(
        thread -> {
          try {
            thread.join();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  private void settle(String verb, JsonNode task, String more) {
    fixture.post(
        "/v1/" + verb, "{\"token\":\"%s\"%s}".formatted(task.get("token").stringValue(), more));
  }

  @Test
  void leasedTasksBeginAtTheRate() {
    fixture.start("tasks: { paced: { kind: worker, rate: 100/s, burst: 10 } }");
    fixture.start("tasks: { paced: { kind: worker, rate: 100/s, burst: 10 } }");
    submit("paced", 410);
    List<Thread> workers = new ArrayList<>();
    AtomicInteger done = new AtomicInteger();
    AtomicLong last = new AtomicLong();
    long start = System.nanoTime();
    for (int i = 0; i < 4; i++) {
      workers.add(
          worker(
              () -> {
                while (done.get() < 410) {
                  Reply reply =
                      fixture.post(
                          "/v1/lease", "{\"names\":[\"paced\"],\"max\":2,\"wait\":\"1s\"}");
                  for (JsonNode task : reply.at("/tasks")) {
                    last.accumulateAndGet(System.nanoTime() - start, Math::max);
                    settle("complete", task, "");
                    done.incrementAndGet();
                  }
                }
              }));
    }
    join(workers);
    double seconds = last.get() / 1e9;
    // 400 tasks after the burst of 10; how much less than the rate depends on how busy the machine
    // is.
    assertThat(400 / seconds).isBetween(5.0, 100.5);
  }

  @Test
  void anOperatorLiftsAndSetsRatesAndATaskReportsWhatDelaysIt() {
    String yaml =
        """
        tasks:
          slow: { kind: worker, rate: 1/h }
          hosted: { kind: cmd, rate: 1/h, retention: 1h, cmd: { program: /bin/true } }
        """;
    fixture.start(yaml);
    fixture.start(yaml);
    submit("slow", 4);
    submit("hosted", 4);
    String lease = "{\"names\":[\"slow\"],\"max\":2,\"wait\":\"30s\"}";
    assertThat(fixture.post("/v1/lease", lease).at("/tasks")).hasSize(1);
    CompletableFuture<Reply> waiting = fixture.sendAsync("POST", "/v1/lease", lease);
    await()
        .until(() -> fixture.inspector.queue("hosted").snapshot().size(TaskState.COMPLETED) == 1);
    assertThat(fixture.inspector.queue("slow").explain("1").text())
        .contains("rate limit of its queue is 1/h");
    assertThat(fixture.inspector.queue("hosted").explain("3").text())
        .contains("rate limit of its queue is 1/h");
    assertThat(waiting).isNotDone();

    for (String name : List.of("slow", "hosted")) {
      String path = "/v1/definitions/" + name + "/limits";
      assertThat(fixture.get(path).json()).isEmpty();
      Reply set = fixture.send("PUT", path, "{\"rate\":\"100/s\",\"burst\":3,\"maxRun\":5}");
      assertThat(set.status()).isEqualTo(200);
      assertThat(fixture.get(path).json())
          .isEqualTo(set.json())
          .isEqualTo(Json.object().put("maxRun", 5).put("rate", "100/s").put("burst", 3));
    }
    assertThat(waiting.join().at("/tasks")).isNotEmpty();
    await()
        .until(() -> fixture.inspector.queue("hosted").snapshot().size(TaskState.COMPLETED) == 4);

    fixture.send("PUT", "/v1/definitions/slow/limits", "{\"rate\":\"none\"}");
    submit("slow", 50, 40);
    assertThat(fixture.post("/v1/lease", lease.replace("\"max\":2", "\"max\":40")).at("/tasks"))
        .hasSizeGreaterThan(30);
    fixture.send("PUT", "/v1/definitions/slow/limits", "{}");
    assertThat(fixture.get("/v1/definitions/slow/limits").json()).isEmpty();
  }

  @Test
  void limitsThatMakeNoSenseAreRefused() {
    fixture.start("tasks: { a: { kind: worker } }");
    String path = "/v1/definitions/a/limits";
    for (String body :
        List.of(
            "{\"rate\":\"fast\"}",
            "{\"burst\":3}",
            "{\"maxRun\":-1}",
            "{\"ordered\":1}",
            "{\"speed\":1}")) {
      assertThat(fixture.send("PUT", path, body).status()).as(body).isEqualTo(422);
    }
    assertThat(fixture.send("PUT", "/v1/definitions/b/limits", "{}").status()).isEqualTo(404);
    assertThat(fixture.get("/v1/definitions/b/limits").status()).isEqualTo(404);
    assertThat(fixture.get(path).json()).isEmpty();
  }

  @Test
  void limitsWithoutABodyAreRefusedAndStay() throws Exception {
    fixture.start("tasks: { a: { kind: worker } }");
    String path = "/v1/definitions/a/limits";
    Reply set = fixture.send("PUT", path, "{\"rate\":\"100/s\",\"burst\":3,\"maxRun\":5}");
    assertThat(set.status()).isEqualTo(200);
    assertThat(fixture.send("PUT", path, "").status()).isEqualTo(400);
    String put = "PUT " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    String json = "Content-Type: application/json\r\n";
    for (String length :
        List.of("", "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n")) {
      assertThat(statusOf(put + json + length)).as(length).isEqualTo(400);
      assertThat(statusOf(put + length)).as(length).isEqualTo(415);
    }
    assertThat(fixture.get(path).json()).isEqualTo(set.json());
  }

  private int statusOf(String request) throws IOException {
    try (Socket socket = RawHttp.open(fixture)) {
      RawHttp.send(socket, request + "\r\n");
      return RawHttp.status(socket);
    }
  }

  @Test
  void hostedTasksBeginAtTheRateOverAllReplicas() throws InterruptedException {
    AtomicInteger begun = new AtomicInteger();
    String yaml =
        "tasks: { paced: { kind: cmd, rate: 50/s, burst: 5, cmd: { program: /bin/true } } }";
    for (int i = 0; i < 2; i++) {
      fixture.start(
          TaskService.builder(fixture.config(yaml))
              .use(
                  (task, context, next) -> {
                    begun.incrementAndGet();
                    return Outcome.done();
                  }));
    }
    long start = System.nanoTime();
    submit("paced", 205);
    await().until(() -> begun.get() == 205);
    double seconds = (System.nanoTime() - start) / 1e9;
    // 200 tasks after the burst of 5; how much less than the rate depends on how busy the machine
    // is.
    assertThat(200 / seconds).isBetween(5.0, 50.5);
  }

  @Test
  void anOrderedNameIsDoneInItsOrderWhateverFails() {
    fixture.start("tasks: { line: { kind: worker, ordered: true, retries: 1000 } }");
    submit("line", IN_ORDER);
    List<Integer> done = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger running = new AtomicInteger();
    AtomicBoolean overlapped = new AtomicBoolean();
    AtomicInteger failures = new AtomicInteger();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Random random = new Random(i);
      workers.add(
          worker(
              () -> {
                while (done.size() < IN_ORDER) {
                  Reply reply =
                      fixture.post("/v1/lease", "{\"names\":[\"line\"],\"max\":5,\"wait\":\"1s\"}");
                  for (JsonNode task : reply.at("/tasks")) {
                    overlapped.compareAndSet(false, running.incrementAndGet() > 1);
                    boolean fails = random.nextInt(10) == 0;
                    if (!fails) {
                      done.add(Integer.parseInt(task.get("id").stringValue()));
                    }
                    running.decrementAndGet();
                    if (fails) {
                      failures.incrementAndGet();
                      settle("fail", task, ",\"error\":\"by chance\",\"in\":\"1ms\"");
                    } else {
                      settle("complete", task, "");
                    }
                  }
                }
              }));
    }
    join(workers);
    assertThat(overlapped).isFalse();
    assertThat(failures.get()).isPositive();
    assertThat(done).isEqualTo(IntStream.range(0, IN_ORDER).boxed().toList());
  }

  /** Each program logs its start and end; never may more than the maximum run at the same time. */
  @Test
  void maxRunHoldsAtEveryInstantWhileReplicasAreKilled() throws Exception {
    Path journal = directory.resolve("journal");
    Path program = directory.resolve("program");
    Files.writeString(
        program,
        """
        #!/bin/sh
        echo "$(date +%%s%%N) 1" >> %1$s
        sleep 0.3
        echo "$(date +%%s%%N) -1" >> %1$s
        """
            .formatted(journal));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Path file = directory.resolve("asynq.yaml");
    Files.writeString(
        file,
        """
        redis: { url: "%s" }
        listen: { port: 0 }
        concurrency: 10
        tasks: { nap: { kind: cmd, maxRun: 3, retention: 1h, cmd: { program: "%s" } } }
        """
            .formatted(fixture.server.uri(), program));
    fixture.start("tasks: { nap: { kind: worker, maxRun: 3, retention: 1h } }");
    submit("nap", KILLS * 40);
    List<Process> replicas = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        replicas.add(ServiceProcessIT.startProcess(file, directory.resolve("out" + i)));
      }
      Random random = new Random(7);
      for (int i = 0; i < KILLS; i++) {
        long before = lines(journal);
        await().atMost(Duration.ofSeconds(40)).until(() -> lines(journal) > before + 8);
        int victim = random.nextInt(3);
        replicas.get(victim).destroyForcibly();
        replicas.set(victim, ServiceProcessIT.startProcess(file, directory.resolve("more" + i)));
      }
      await()
          .atMost(Duration.ofSeconds(FULL ? 180 : 60))
          .until(
              () ->
                  fixture.inspector.queue("nap").snapshot().size(TaskState.COMPLETED)
                      == KILLS * 40L);
    } finally {
      replicas.forEach(Process::destroyForcibly);
    }
    assertThat(maxAtOnce(journal)).isEqualTo(3);
  }

  private static long lines(Path journal) throws IOException {
    return Files.exists(journal) ? Files.readAllLines(journal).size() : 0;
  }

  private static int maxAtOnce(Path journal) throws IOException {
    Pattern form = Pattern.compile("(\\d+) (-?1)");
    int now = 0;
    int most = 0;
    // At the same instant, an end comes before a start.
    String[] events = Files.readAllLines(journal).toArray(String[]::new);
    Arrays.sort(events);
    for (String event : events) {
      Matcher parts = form.matcher(event);
      assertThat(parts.matches()).isTrue();
      now += Integer.parseInt(parts.group(2));
      most = Math.max(most, now);
    }
    return most;
  }
}
