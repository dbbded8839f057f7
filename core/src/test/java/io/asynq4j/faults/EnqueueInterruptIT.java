package io.asynq4j.faults;

import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerException;
import io.asynq4j.Task;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.faults.FaultProxy.Fault;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Interrupting a thread that enqueues affects no other, on platform and virtual threads. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EnqueueInterruptIT {

  enum Kind {
    PLATFORM,
    VIRTUAL;

    @Nullable Thread thread(Runnable task) {
      if (this == PLATFORM) {
        return new Thread(task);
      }
      try {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (Thread)
            Class.forName("java.lang.Thread$Builder")
                .getMethod("unstarted", Runnable.class)
                .invoke(builder, task);
      } catch (ReflectiveOperationException e) {
        return null;
      }
    }

    void requireIt() {
      assumeThat(thread(() -> {})).as("this Java has virtual threads").isNotNull();
    }
  }

  private static final Task TASK = Task.of("t");
  private static final Set<Thread.State> STILL =
      EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);

  private TestRedis server;
  private FaultProxy proxy;
  private RedisConnection redis;
  private TaskClient client;

  @BeforeAll
  void startServer() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stopServer() {
    server.close();
  }

  @BeforeEach
  void connect() {
    server.flush();
    proxy = new FaultProxy(server.primaries().get(0).port());
    redis =
        RedisConnection.open(
            RedisConfig.builder()
                .standalone("127.0.0.1", proxy.port())
                .commandTimeout(ofSeconds(20))
                .retryFor(ofSeconds(20))
                .build());
    client = TaskClient.builder(redis).maxCalls(1).build();
    // Loads the script, and registers the queue.
    client.enqueue(TASK, o -> o.queue("q").id("zero"));
  }

  @AfterEach
  void disconnect() {
    proxy.disarm();
    proxy.stall(false);
    client.close();
    redis.close();
    proxy.close();
  }

  private final class Caller {
    final CompletableFuture<EnqueueResult> result = new CompletableFuture<>();
    final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    final Thread thread;

    Caller(Kind kind, String id) {
      this.thread = requireNonNull(kind.thread(() -> enqueue(id)));
    }

    private void enqueue(String id) {
      try {
        result.complete(client.enqueue(TASK, o -> o.queue("q").id(id)));
      } catch (RuntimeException | Error e) {
        result.completeExceptionally(e);
      } finally {
        interrupted.complete(Thread.currentThread().isInterrupted());
      }
    }

    Caller start() {
      thread.start();
      return this;
    }

    Caller startAndWait() {
      start();
      await().atMost(ofSeconds(60)).until(() -> STILL.contains(thread.getState()));
      return this;
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void anInterruptedCallerDoesNotFailOthersThatShareItsCall(Kind kind) throws Exception {
    kind.requireIt();
    Caller first = new Caller(kind, "first");
    Caller interrupted = new Caller(kind, "second");
    Caller other = new Caller(kind, "third");
    // Two more calls arrive during the first one, and are sent together in the next.
    proxy.next(
        "first",
        Fault.CUT_AFTER,
        () -> {
          interrupted.startAndWait();
          other.startAndWait();
        });
    proxy.next("third", Fault.CUT_AFTER, interrupted.thread::interrupt);
    first.start();

    assertThat(other.result.get(60, TimeUnit.SECONDS).isEnqueued()).isTrue();
    assertThat(first.result.get(60, TimeUnit.SECONDS).isEnqueued()).isTrue();
    assertThat(proxy.isSprung()).isTrue();
    if (kind == Kind.PLATFORM) {
      // It has completed the call for both, and sees the interrupt afterwards.
      assertThat(interrupted.result.get(60, TimeUnit.SECONDS).isEnqueued()).isTrue();
      assertThat(interrupted.interrupted.get(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aVirtualThreadThatIsInterruptedInItsOwnCallHearsThatItMayBeDone() throws Exception {
    Kind.VIRTUAL.requireIt();
    proxy.stall(true);
    Caller alone = new Caller(Kind.VIRTUAL, "alone").startAndWait();
    alone.thread.interrupt();

    BrokerException failure =
        alone
            .result
            .handle((result, e) -> e instanceof BrokerException broker ? broker : null)
            .get(60, TimeUnit.SECONDS);
    proxy.stall(false);

    assertThat(failure).isNotNull().hasMessageContaining("interrupted");
    assertThat(failure.mayHaveBeenApplied()).isTrue();
    assertThat(alone.interrupted.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(client.enqueue(TASK, o -> o.queue("q")).isEnqueued()).isTrue();
  }

  @Test
  void amongManyVirtualThreadsOnlyThoseThatAreInterruptedFail() throws Exception {
    Kind.VIRTUAL.requireIt();
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> victims = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      victims.add(
          start(
              () -> {
                while (!done.get()) {
                  Thread.interrupted();
                  try {
                    client.enqueue(TASK, o -> o.queue("q"));
                  } catch (BrokerException e) {
                    assertThat(e).hasMessageContaining("interrupted");
                  }
                }
              }));
    }
    CompletableFuture<?>[] others =
        IntStream.range(0, 20)
            .mapToObj(
                i -> {
                  CompletableFuture<Void> result = new CompletableFuture<>();
                  start(
                      () -> {
                        try {
                          for (int k = 0; k < 50; k++) {
                            assertThat(client.enqueue(TASK, o -> o.queue("q")).isEnqueued())
                                .isTrue();
                          }
                          result.complete(null);
                        } catch (RuntimeException | Error e) {
                          result.completeExceptionally(e);
                        }
                      });
                  return result;
                })
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture<Void> all = CompletableFuture.allOf(others);
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    try {
      while (!all.isDone() && System.nanoTime() < until) {
        victims.forEach(Thread::interrupt);
        LockSupport.parkNanos(1_000_000);
      }
      all.get(1, TimeUnit.SECONDS);
    } finally {
      done.set(true);
      for (Thread victim : victims) {
        victim.join();
      }
    }
  }

  private static Thread start(Runnable task) {
    Thread thread = requireNonNull(Kind.VIRTUAL.thread(task));
    thread.start();
    return thread;
  }
}
