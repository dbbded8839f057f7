package io.asynq4j.benchmarks.load;

import io.asynq4j.benchmarks.Bar;
import io.asynq4j.benchmarks.Cell;
import io.asynq4j.benchmarks.Lab;
import io.asynq4j.benchmarks.Usage;
import io.asynq4j.service.ServiceConfig;
import io.asynq4j.service.TaskService;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * M: one replica of the task service, with those who hand in, lease and complete in the same JVM:
 * what they cost is part of the figures.
 */
@Command(
    name = "service",
    description = "M: tasks handed in, leased and completed over HTTP, in batches of 50.")
final class ServiceLoad extends LoadProgram {

  private static final int BATCH = 50;
  private static final int CALLERS = 4;

  /** How many tasks may wait: so that those who hand in do not run away from the workers. */
  private static final int MOST_WAITING = 5_000;

  private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\",\"id\":\"(\\d+)-");

  @Option(
      names = "--soak",
      paramLabel = "MINUTES",
      description = "Go on for so long, and show the heap over the time.")
  private int soakMinutes;

  /** Everything that is measured in one run. */
  private static final class Run {
    final Latencies submits = new Latencies();
    final Latencies leases = new Latencies();
    final Latencies completes = new Latencies();
    final Latencies pickUps = new Latencies();
    final AtomicLong done = new AtomicLong();
    final AtomicBoolean stopped = new AtomicBoolean();
    final Semaphore room = new Semaphore(MOST_WAITING);
    final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /** A soak would keep too many. */
    final boolean keepsTimes;

    Run(boolean keepsTimes) {
      this.keepsTimes = keepsTimes;
    }

    void time(Latencies latencies, long nanos) {
      if (keepsTimes) {
        latencies.add(nanos);
      }
    }
  }

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  @Override
  void measure(Lab lab, Findings findings) throws Exception {
    ServiceConfig config =
        ServiceConfig.parse(
            "bench.yaml",
            """
            redis: { url: "%s" }
            listen: { port: 0 }
            tasks: { work: { kind: worker } }
            """
                .formatted(lab.uri()),
            Map.of());
    try (TaskService service = TaskService.start(config)) {
      run(lab, service.uri(), Duration.ofSeconds(size(5, 1)), new Run(/* keepsTimes= */ false));
      if (soakMinutes > 0) {
        soak(lab, service.uri(), findings);
      } else {
        Run run = new Run(/* keepsTimes= */ true);
        Cell cell = run(lab, service.uri(), Duration.ofSeconds(size(15, 2)), run);
        tell(run, cell, findings);
      }
    }
  }

  private void tell(Run run, Cell cell, Findings findings) {
    double rate = cell.tasksPerSecond();
    findings.figure("tasksPerSecond", rate);
    List<String> columns = new ArrayList<>(List.of("what"));
    columns.addAll(Latencies.COLUMNS);
    List<List<Object>> rows = new ArrayList<>();
    row(rows, "hand in 50", run.submits);
    row(rows, "lease up to 50", run.leases);
    row(rows, "complete them", run.completes);
    row(rows, "handed in to leased", run.pickUps);
    findings.table("Requests", columns, rows);
    findings.table(
        "One replica, %d who hand in and %d workers in one JVM".formatted(CALLERS / 2, CALLERS),
        List.of("tasks/s", "Redis CPU µs/task", "JVM CPU µs/task"),
        List.of(List.of(rate, cell.redisMicrosPerTask(), cell.jvmMicrosPerTask())));
    findings.bar(Bar.atLeast("tasks/s handed in, leased and completed", rate, 20_000));
  }

  private static void row(List<List<Object>> rows, String what, Latencies latencies) {
    List<Object> row = new ArrayList<>(List.of(what));
    row.addAll(latencies.row());
    rows.add(row);
  }

  private void soak(Lab lab, URI service, Findings findings) throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    for (int minute = 1; minute <= soakMinutes; minute++) {
      Cell cell = run(lab, service, Duration.ofMinutes(1), new Run(/* keepsTimes= */ false));
      System.gc();
      long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      rows.add(
          List.of(
              minute,
              cell.tasksPerSecond(),
              heap / 1_000_000.0,
              ManagementFactory.getThreadMXBean().getThreadCount()));
      progress(
          "minute %d: %,.0f tasks/s, %,d bytes of heap"
              .formatted(minute, cell.tasksPerSecond(), heap));
    }
    findings.figure("tasksPerSecond", rows.get(rows.size() - 1).get(1));
    findings.table(
        "A long run", List.of("minute", "tasks/s", "heap MB after a collection", "threads"), rows);
    double early = (double) rows.get(Math.min(2, rows.size() - 1)).get(2);
    double late = (double) rows.get(rows.size() - 1).get(2);
    findings.bar(Bar.atMost("heap at the end by heap in minute 3", late / early, 1.2));
  }

  private Cell run(Lab lab, URI service, Duration length, Run run) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CALLERS / 2; i++) {
      threads.add(start(run, () -> handIn(service, run)));
    }
    for (int i = 0; i < CALLERS; i++) {
      threads.add(start(run, () -> work(service, run)));
    }
    Usage before = lab.usage();
    long doneBefore = run.done.get();
    Thread.sleep(length.toMillis());
    Cell cell = new Cell(0, run.done.get() - doneBefore, lab.usage().since(before));
    run.stopped.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    Exception failure = run.failure.get();
    if (failure != null) {
      throw failure;
    }
    return cell;
  }

  private interface Work {
    void once() throws Exception;
  }

  private static Thread start(Run run, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!run.stopped.get()) {
                  work.once();
                }
              } catch (Exception e) {
                run.failure.compareAndSet(null, e);
                run.stopped.set(true);
              }
            });
    thread.start();
    return thread;
  }

  private void handIn(URI service, Run run) throws Exception {
    if (!run.room.tryAcquire(BATCH, 100, TimeUnit.MILLISECONDS)) {
      return;
    }
    long begin = System.nanoTime();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < BATCH; i++) {
      lines
          .append("{\"name\":\"work\",\"params\":{\"user\":42,\"what\":\"a small task\"},\"id\":\"")
          .append(begin)
          .append('-')
          .append(Thread.currentThread().getId())
          .append('-')
          .append(i)
          .append("\"}\n");
    }
    String answer = post(service, "/v1/tasks", "application/x-ndjson", lines.toString());
    run.time(run.submits, System.nanoTime() - begin);
    if (!answer.startsWith("{\"status\":201")) {
      throw new IllegalStateException("a task was refused: " + answer.lines().findFirst());
    }
  }

  private void work(URI service, Run run) throws Exception {
    long begin = System.nanoTime();
    String leased =
        post(
            service,
            "/v1/lease",
            "application/json",
            "{\"names\":[\"work\"],\"max\":" + BATCH + ",\"wait\":\"1s\"}");
    long got = System.nanoTime();
    StringBuilder body = new StringBuilder("{\"tasks\":[");
    Matcher tokens = TOKEN.matcher(leased);
    int count = 0;
    while (tokens.find()) {
      body.append(count++ == 0 ? "" : ",")
          .append("{\"token\":\"")
          .append(tokens.group(1))
          .append("\"}");
      run.time(run.pickUps, got - Long.parseLong(tokens.group(2)));
    }
    if (count == 0) {
      return;
    }
    run.time(run.leases, got - begin);
    begin = System.nanoTime();
    post(service, "/v1/complete", "application/json", body.append("]}").toString());
    run.time(run.completes, System.nanoTime() - begin);
    run.done.addAndGet(count);
    run.room.release(count);
  }

  private String post(URI service, String path, String type, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(service.resolve(path))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IllegalStateException(path + " answered " + response.statusCode());
    }
    return response.body();
  }
}
