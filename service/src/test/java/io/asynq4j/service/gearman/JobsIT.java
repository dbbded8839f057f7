package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.lease.LeaseEnd;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.lease.Verdict;
import io.asynq4j.redis.RedisConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of several queues, one of which fails. */
class JobsIT {

  private static final List<String> HEALTHY = List.of("a", "b", "c", "d", "e", "f");
  private static final Duration LEASE = Duration.ofMinutes(10);

  private final EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
  private final RedisConnection redis = RedisConnection.open(server.uri());
  private final GearmanConfig config = GearmanConfig.builder().port(0).lease(LEASE).build();
  private final EventLoop loop = new EventLoop(config);
  private final AtomicBoolean hasThreads = new AtomicBoolean(true);
  private final Jobs jobs =
      new Jobs(new Functions(redis, config), loop, config, AttemptListener.NONE, this::thread);
  private final Map<String, LeaseEnd> ends = new ConcurrentHashMap<>();
  private final Map<String, Job> byQueue = new ConcurrentHashMap<>();

  @BeforeEach
  void start() throws IOException {
    loop.start(
        connection -> {
          throw new IllegalStateException("nobody connects");
        });
    List<String> queues = new ArrayList<>(HEALTHY);
    queues.add("bad");
    try (TaskClient client = TaskClient.create(redis)) {
      for (String queue : queues) {
        client.enqueue(
            Task.of("t", Payload.ofUtf8("x")), TaskOptions.of(o -> o.queue(queue).id(queue)));
        take(TaskLeases.create(redis).claim(queue, 1, Duration.ofMinutes(1)).get(0));
      }
    }
    call("DEL asynq:{bad}:lease");
    call("SET asynq:{bad}:lease broken");
  }

  private Thread thread(Runnable task) {
    if (!hasThreads.get()) {
      throw new OutOfMemoryError("no thread, on purpose");
    }
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  @AfterEach
  void stop() {
    jobs.close(Duration.ZERO);
    loop.close();
    redis.close();
    server.close();
  }

  @SuppressWarnings("NullAway") // Only a worker that loses its lease is told of it.
  private void take(LeasedTask task) {
    Job job = new Job(task, null, LEASE, "here");
    byQueue.put(task.queue().value(), job);
    jobs.take(job);
  }

  private String call(String command) throws IOException {
    URI address = URI.create(server.uri());
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      String first = lines.readLine();
      return first.startsWith("$") ? String.valueOf(lines.readLine()) : first;
    }
  }

  private double leasedUntil(String queue) throws IOException {
    return Double.parseDouble(call("ZSCORE asynq:{%1$s}:lease %1$s".formatted(queue)));
  }

  @Test
  void aQueueWhoseLeasesCannotBeExtendedKeepsNoOtherFromIt() throws IOException {
    double soon = redis.clock().instant().plus(Duration.ofMinutes(5)).getEpochSecond();
    assertThat(leasedUntil("a")).isLessThan(soon);

    jobs.keep();

    for (String queue : HEALTHY) {
      await(queue).until(() -> leasedUntil(queue) > soon);
    }
    assertThat(jobs.size()).isEqualTo(HEALTHY.size() + 1);
  }

  @Test
  void aQueueWhoseJobsCannotBeSettledYetKeepsNoOtherWaiting() throws IOException {
    end("bad", new Verdict.Complete(job("bad").task(), Payload.absent()));
    for (String queue : HEALTHY) {
      end(queue, new Verdict.Complete(job(queue).task(), Payload.absent()));
    }
    await().until(() -> ends.size() == HEALTHY.size());
    assertThat(ends).containsOnlyKeys(HEALTHY);
    assertThat(ends.values()).containsOnly(LeaseEnd.COMPLETED);

    call("DEL asynq:{bad}:lease");
    await().until(() -> ends.containsKey("bad"));
    assertThat(jobs.size()).isZero();
  }

  @Test
  @SuppressWarnings("NullAway") // What makes settling fail for good.
  void aJobThatCanNeverBeSettledIsNotKept() {
    end("a", new Verdict.Snooze(job("a").task(), null));
    await().until(() -> ends.containsKey("a"));
    assertThat(ends).containsEntry("a", LeaseEnd.LEASE_LOST);
    assertThat(jobs.size()).isEqualTo(HEALTHY.size());
  }

  @Test
  void finishedWorkWaitsForAThread() {
    hasThreads.set(false);
    end("a", new Verdict.Complete(job("a").task(), Payload.absent()));
    jobs.keep();
    assertThat(ends).isEmpty();
    assertThat(jobs.size()).as("their leases are kept").isEqualTo(HEALTHY.size() + 1);

    hasThreads.set(true);
    jobs.keep();
    await().until(() -> ends.containsKey("a"));
    assertThat(ends).containsEntry("a", LeaseEnd.COMPLETED);
    assertThat(jobs.size()).isEqualTo(HEALTHY.size());
  }

  private Job job(String queue) {
    return Objects.requireNonNull(byQueue.get(queue), queue);
  }

  private void end(String queue, Verdict verdict) {
    jobs.end(job(queue), verdict, end -> ends.put(queue, end));
  }
}
