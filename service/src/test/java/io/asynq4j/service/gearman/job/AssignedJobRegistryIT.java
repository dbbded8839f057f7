package io.asynq4j.service.gearman.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.gearman.AttemptListener;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.protocol.EventLoop;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of several queues, one of which fails. */
class AssignedJobRegistryIT {

  private static final List<String> HEALTHY = List.of("a", "b", "c", "d", "e", "f");
  private static final Duration LEASE = Duration.ofMinutes(10);

  private final EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
  private final RedisConnection redis = RedisConnection.open(server.uri());
  private final GearmanConfig config = GearmanConfig.builder().port(0).lease(LEASE).build();
  private final EventLoop loop =
      new EventLoop(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100, 1 << 20);
  private final Listener listener = new Listener();
  private final AtomicBoolean hasThreads = new AtomicBoolean(true);
  private final AssignedJobRegistry jobs =
      new AssignedJobRegistry(
          new FunctionRegistry(redis, config), loop, config, listener, this::thread);
  private final Map<String, Optional<Outcome>> ends = new ConcurrentHashMap<>();
  private final Map<String, AssignedJob> byQueue = new ConcurrentHashMap<>();

  @BeforeEach
  void start() throws IOException {
    loop.start(
        connection -> {
          throw new IllegalStateException("nobody connects");
        });
    HEALTHY.forEach(queue -> byQueue.put(queue, take(queue, queue, Duration.ZERO)));
    byQueue.put("bad", take("bad", "bad", Duration.ZERO));
  }

  private Thread thread(Runnable task) {
    if (!hasThreads.get()) {
      throw new OutOfMemoryError("no thread, on purpose");
    }
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  private void replace(String key) throws IOException {
    call("DEL " + key);
    call("SET " + key + " broken");
  }

  @AfterEach
  void stop() {
    jobs.close(Duration.ZERO);
    loop.close();
    redis.close();
    server.close();
  }

  @SuppressWarnings("NullAway") // Only a lost lease notifies the worker.
  private AssignedJob take(String queue, String id, Duration retention) {
    try (TaskClient client = TaskClient.create(redis)) {
      client.enqueue(
          Task.of("t", Payload.ofUtf8("x")),
          TaskOptions.of(o -> o.queue(queue).id(id).retention(retention)));
    }
    LeasedTask task = TaskLeases.create(redis).claim(queue, 1, Duration.ofMinutes(1)).get(0);
    AssignedJob job = new AssignedJob(task, null, LEASE, "here");
    jobs.add(job);
    return job;
  }

  /** Called with outcomes; may fail. */
  private static final class Listener implements AttemptListener {
    volatile Consumer<List<LeaseOutcome>> onEnd = outcomes -> {};

    @Override
    public void end(List<LeaseOutcome> outcomes) {
      onEnd.accept(outcomes);
    }
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
    replace("asynq:{bad}:lease");
    double soon = redis.clock().instant().plus(Duration.ofMinutes(5)).getEpochSecond();
    assertThat(leasedUntil("a")).isLessThan(soon);

    jobs.extendLeases();

    for (String queue : HEALTHY) {
      await(queue).until(() -> leasedUntil(queue) > soon);
    }
    assertThat(jobs.size()).isEqualTo(HEALTHY.size() + 1);
  }

  @Test
  void aQueueWhoseJobsCannotBeSettledYetKeepsNoOtherWaiting() throws IOException {
    String healthy = HEALTHY.stream().map("~*{%s}*"::formatted).collect(Collectors.joining(" "));
    call("ACL SETUSER default resetkeys " + healthy);
    complete("bad");
    HEALTHY.forEach(this::complete);
    await().until(() -> ends.size() == HEALTHY.size());
    assertThat(ends).containsOnlyKeys(HEALTHY);
    assertThat(ends.values()).containsOnly(Optional.of(Outcome.done()));

    call("ACL SETUSER default allkeys");
    await().until(() -> ends.containsKey("bad"));
    assertThat(ends).containsEntry("bad", Optional.of(Outcome.done()));
    assertThat(jobs.size()).isZero();
  }

  @Test
  void aJobThatRedisRefusesForItsDataKeepsNoOtherOfItsQueue() throws IOException {
    AssignedJob refused = take("bad", "refused", Duration.ofHours(1));
    AssignedJob fine = take("bad", "fine", Duration.ZERO);
    replace("asynq:{bad}:completed");
    CountDownLatch gathered = new CountDownLatch(1);
    List<List<Outcome.Kind>> calls = new CopyOnWriteArrayList<>();
    listener.onEnd =
        outcomes -> {
          calls.add(outcomes.stream().map(each -> each.outcome().kind()).toList());
          awaitQuietly(gathered);
        };

    complete("bad");
    await().until(() -> calls.size() == 1);
    complete(refused, "refused");
    complete(fine, "fine");
    gathered.countDown();

    await().until(() -> ends.size() == 3);
    assertThat(ends)
        .containsEntry("bad", Optional.of(Outcome.done()))
        .containsEntry("fine", Optional.of(Outcome.done()))
        .hasEntrySatisfying(
            "refused",
            applied -> assertThat(applied).map(Outcome::kind).contains(Outcome.Kind.ARCHIVE));
    assertThat(calls.get(1)).as("settled together first").hasSize(2);
    assertThat(calls)
        .as("what follows the attempt is not changed")
        .allSatisfy(AssignedJobRegistryIT::isCompleted);
    assertThat(Inspector.create(redis).queue("bad").task("refused").lastError())
        .contains("WRONGTYPE");
    assertThat(jobs.size()).isEqualTo(HEALTHY.size());
  }

  private static void isCompleted(List<Outcome.Kind> kinds) {
    assertThat(kinds).containsOnly(Outcome.Kind.DONE);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aJobThatCannotEvenBeArchivedIsNotKept() throws IOException {
    replace("asynq:{bad}:lease");
    complete("bad");
    await().until(() -> ends.containsKey("bad"));
    assertThat(ends).containsEntry("bad", Optional.empty());
    assertThat(jobs.size()).isEqualTo(HEALTHY.size());
  }

  @Test
  void finishedWorkOutlastsALackOfMemory() {
    AtomicInteger shortages = new AtomicInteger(2);
    listener.onEnd =
        outcomes -> {
          if (shortages.getAndDecrement() > 0) {
            throw new OutOfMemoryError("on purpose");
          }
        };
    complete("a");
    await().until(() -> ends.containsKey("a"));
    assertThat(ends).containsEntry("a", Optional.of(Outcome.done()));
    assertThat(jobs.size()).isEqualTo(HEALTHY.size());
  }

  @Test
  void aJobThatCanNeverBeSettledIsNotKept() {
    listener.onEnd =
        outcomes -> {
          throw new AssertionError("on purpose");
        };
    complete("a");
    await().until(() -> ends.containsKey("a"));
    assertThat(ends).containsEntry("a", Optional.empty());
    assertThat(jobs.size()).isEqualTo(HEALTHY.size());
  }

  @Test
  void finishedWorkWaitsForAThread() {
    hasThreads.set(false);
    complete("a");
    jobs.extendLeases();
    assertThat(ends).isEmpty();
    assertThat(jobs.size()).as("their leases are kept").isEqualTo(HEALTHY.size() + 1);

    hasThreads.set(true);
    jobs.extendLeases();
    await().until(() -> ends.containsKey("a"));
    assertThat(ends).containsEntry("a", Optional.of(Outcome.done()));
    assertThat(jobs.size()).isEqualTo(HEALTHY.size());
  }

  private AssignedJob job(String queue) {
    return Objects.requireNonNull(byQueue.get(queue), queue);
  }

  private void complete(String queue) {
    complete(job(queue), queue);
  }

  private void complete(AssignedJob job, String name) {
    jobs.settle(job, Outcome.done(), applied -> ends.put(name, applied));
  }
}
