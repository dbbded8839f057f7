package io.asynq4j.internal.server.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskOptions;
import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.StubStoreWatch;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerAccess;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reports of handlers while Redis servers do not respond, or no threads are available. */
@Timeout(120)
class AttemptReportWriterTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private final Handler<Task> handler = (task, context) -> Outcome.done();
  private final AttemptHost host =
      AttemptHosts.of(
          TaskServerAccess.config(TaskServer.builder(redis).handlers(handler)),
          handler,
          BrokerConnection.brokerOf(redis).leases(),
          BrokerConnection.brokerOf(redis).clock(),
          new AttemptHosts.IgnoringSink());
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Queue<String> calls = new ConcurrentLinkedQueue<>();
  private final CountDownLatch silence = new CountDownLatch(1);
  private int attemptNumber;

  @AfterEach
  void end() {
    silence.countDown();
    threads.shutdownNow();
    redis.close();
  }

  private AttemptReportWriter writer(Executor executor, Consumer<QueueName> call) {
    StoreWatch places = new StubStoreWatch(queue -> queue.value().substring(0, 1));
    LeaseOperations source =
        (LeaseOperations)
            Proxy.newProxyInstance(
                LeaseOperations.class.getClassLoader(),
                new Class<?>[] {LeaseOperations.class},
                (proxy, method, arguments) -> {
                  QueueName queue = (QueueName) arguments[0];
                  List<?> reports = (List<?>) arguments[1];
                  calls.add(reports.get(0).getClass().getSimpleName() + " " + queue);
                  call.accept(queue);
                  return Collections.nCopies(reports.size(), true);
                });
    OutageTracker outages = new OutageTracker(AttemptHosts.NO_LISTENERS, Clock.systemUTC());
    return new AttemptReportWriter(source, new ShardTopology(places, outages, executor));
  }

  private Attempt attempt(String queue) {
    Instant now = host.clock().instant();
    NewTask task = NewTask.of(Task.of("t"), TaskOptions.of(o -> o.queue(queue)), now);
    return new Attempt(
        ++attemptNumber, new Claim(task.message(), "token", now.plusSeconds(15)), host);
  }

  private static void flush(AttemptReportWriter writer, Attempt attempt) {
    writer.flush(
        attempt.queue(),
        List.of(new PendingSettlement(attempt, OutcomePolicy.requeued(attempt.claim()))));
  }

  private void awaitSilence(QueueName queue) {
    if (queue.value().startsWith("s")) {
      try {
        silence.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static BrokerUnavailableException away() {
    return new BrokerUnavailableException("away", false, new Exception());
  }

  /** The result of a handler that writes one, or why it could not. */
  private CompletableFuture<Boolean> write(AttemptReportWriter writer, Attempt attempt) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    threads.execute(
        () -> {
          try {
            answer.complete(writer.writeResult(attempt, Payload.ofUtf8("x")));
          } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  @Test
  void settlingDoesNotWaitForReportsOfOthers() {
    AttemptReportWriter writer = writer(threads, this::awaitSilence);
    writer.progress(attempt("s1"), new Progress(1, ""));
    await().until(() -> calls.contains("Step s1"));
    Attempt healthy = attempt("h1");
    writer.progress(healthy, new Progress(2, ""));

    flush(writer, healthy);
    flush(writer, attempt("s2"));

    assertThat(calls).contains("Step h1");
    assertThat(silence.getCount()).isEqualTo(1);
  }

  @Test
  void settlingWaitsForAReportOfItsOwnThatIsBeingWritten() {
    AttemptReportWriter writer = writer(threads, this::awaitSilence);
    Attempt attempt = attempt("s1");
    writer.progress(attempt, new Progress(1, ""));
    await().until(() -> calls.contains("Step s1"));

    Thread settling = new Thread(() -> flush(writer, attempt));
    settling.start();

    await().until(() -> settling.getState() == Thread.State.BLOCKED);
    silence.countDown();
    await().until(() -> !settling.isAlive());
  }

  @Test
  void aHandlerThatWaitsCanBeInterrupted() {
    AttemptReportWriter writer = writer(threads, this::awaitSilence);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Attempt attempt = attempt("s1");
    Thread waiting =
        new Thread(
            () -> {
              try {
                writer.writeResult(attempt, Payload.ofUtf8("x"));
              } catch (BrokerUnavailableException e) {
                failure.set(e);
              }
            });
    waiting.start();
    await().until(() -> calls.contains("Result s1"));

    waiting.interrupt();

    await().until(() -> !waiting.isAlive());
    assertThat(failure.get()).hasMessageContaining("interrupted");
  }

  @Test
  void noCallerWaitsForAWriteWithoutAThread() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch joined = new CountDownLatch(1);
    AttemptReportWriter writer =
        writer(
            task -> {
              begun.countDown();
              try {
                joined.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              throw new OutOfMemoryError("unable to create native thread, on purpose");
            },
            queue -> {});
    CompletableFuture<Boolean> first = write(writer, attempt("a1"));
    await().until(() -> begun.getCount() == 0);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Attempt second = attempt("a2");
    Thread waiting =
        new Thread(
            () -> {
              try {
                writer.writeResult(second, Payload.ofUtf8("x"));
              } catch (RuntimeException e) {
                failure.set(e);
              }
            });
    waiting.setDaemon(true);
    waiting.start();
    await().until(() -> waiting.getState() == Thread.State.WAITING);

    joined.countDown();

    await().until(first::isCompletedExceptionally);
    await().until(() -> !waiting.isAlive());
    assertThat(failure.get()).hasCauseInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void aServerThatIsAwayIsNotAskedForEachQueue() {
    AtomicInteger count = new AtomicInteger();
    AttemptReportWriter writer =
        writer(
            threads,
            queue -> {
              if (count.incrementAndGet() == 1) {
                awaitSilence(queue);
              } else {
                throw away();
              }
            });
    CompletableFuture<Boolean> first = write(writer, attempt("s1"));
    await().until(() -> calls.size() == 1);
    List<Attempt> others = List.of(attempt("s2"), attempt("s3"), attempt("s4"));
    List<Thread> waiting =
        others.stream()
            .map(
                attempt ->
                    new Thread(
                        () -> {
                          try {
                            writer.writeResult(attempt, Payload.ofUtf8("x"));
                          } catch (BrokerUnavailableException e) {
                            count.addAndGet(100);
                          }
                        }))
            .toList();
    waiting.forEach(Thread::start);
    await().until(() -> waiting.stream().allMatch(each -> each.getState() == Thread.State.WAITING));

    silence.countDown();

    assertThat(first).succeedsWithin(Duration.ofMinutes(1));
    await().until(() -> count.get() == 302);
    assertThat(calls).hasSize(2);
  }

  @Test
  void progressIsWrittenAgainAfterNoThreadCouldBeHad() {
    AtomicInteger executions = new AtomicInteger();
    CountDownLatch shortage = new CountDownLatch(1);
    AttemptReportWriter writer =
        writer(
            task -> {
              if (executions.incrementAndGet() == 2) {
                shortage.countDown();
                throw new OutOfMemoryError("unable to create native thread, on purpose");
              }
              threads.execute(task);
            },
            queue -> {});
    Attempt attempt = attempt("a1");
    writer.progress(attempt, new Progress(1, ""));
    await().until(() -> shortage.getCount() == 0);
    int before = calls.size();

    await()
        .until(
            () -> {
              writer.progress(attempt, new Progress(2, ""));
              return calls.size() > before;
            });
  }
}
