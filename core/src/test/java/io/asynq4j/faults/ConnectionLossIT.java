package io.asynq4j.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Durability;
import io.asynq4j.Task;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.client.UnconfirmedTaskException;
import io.asynq4j.faults.FaultProxy.Fault;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * Whatever happens to connections, callers see exceptions of this library, and what happened to one
 * call does not touch the next.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConnectionLossIT {

  private static final Task TASK = Task.of("t");

  private TestRedis server;
  private FaultProxy proxy;

  @BeforeAll
  void startServer() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stopServer() {
    server.close();
  }

  @BeforeEach
  void startProxy() {
    server.flush();
    proxy = new FaultProxy(server.primaries().get(0).port());
  }

  @AfterEach
  void disconnect() {
    proxy.disarm();
    proxy.close();
  }

  private RedisConfig.Builder config(int maxConnections) {
    return RedisConfig.builder()
        .standalone("127.0.0.1", proxy.port())
        .maxConnections(maxConnections)
        .connectTimeout(ofSeconds(10))
        .commandTimeout(ofSeconds(10))
        .retryFor(ofMillis(50));
  }

  private static Thread waitingIn(Runnable call) {
    Thread thread = new Thread(call);
    thread.setDaemon(true);
    thread.start();
    await().atMost(ofSeconds(60)).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    return thread;
  }

  @Test
  void aPrimaryThatDiesBeforeItConfirmsIsNoRawExceptionWhileOthersWaitForConnections()
      throws Exception {
    CompletableFuture<Throwable> other = new CompletableFuture<>();
    try (RedisConnection redis = RedisConnection.open(config(1).build());
        TaskClient client = TaskClient.create(redis)) {
      client.durably(Durability.REPLICATED).enqueueAll(List.of(EnqueueRequest.of(TASK, o -> o)));
      proxy.next(
          "WAIT",
          Fault.CUT_BEFORE,
          () -> {
            waitingIn(() -> other.complete(catchThrowable(() -> redis.ping())));
            proxy.refuse();
          });
      Throwable failure =
          catchThrowable(() -> client.durably(Durability.REPLICATED).enqueue(TASK, o -> o));

      assertThat(proxy.isSprung()).isTrue();
      assertThat(failure)
          .isInstanceOf(UnconfirmedTaskException.class)
          .hasCauseInstanceOf(BrokerUnavailableException.class);
      assertThat(other.get(60, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(other.get(60, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(
            BrokerUnavailableException.class,
            failure -> assertThat(failure.mayHaveBeenApplied()).isFalse());
    proxy.acceptAgain();
  }

  @Test
  void whatAnErrorLeavesUnreadIsNotTheAnswerToTheNextCaller() {
    try (RedisCommandExecutor link = BrokerFixture.link(config(1).build())) {
      link.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs());
      // The first command is written, and its answer is never read.
      List<CommandArguments> half =
          new AbstractList<>() {
            @Override
            public CommandArguments get(int index) {
              if (index > 0) {
                throw new InternalError("made up");
              }
              return new CommandArguments(Command.ECHO).add("of somebody else");
            }

            @Override
            public int size() {
              return 2;
            }
          };

      assertThat(catchThrowable(() -> link.callAll(0, half))).isInstanceOf(InternalError.class);
      for (String next : List.of("one", "two")) {
        assertThat(
                ReplyParser.text(
                    link.call(0, ResendPolicy.SAFE, Command.ECHO, new CommandArgs().add(next))))
            .isEqualTo(next);
      }
    }
  }

  @Test
  void aCallerThatWaitsForAConnectionWhileAllAreClosedIsNotInterrupted() throws Exception {
    RedisConnection closing = RedisConnection.open(config(1).build());
    proxy.stall(true);
    waitingOrReading(closing);
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    waitingIn(
        () -> {
          failure.complete(catchThrowable(() -> closing.ping()));
          interrupted.complete(Thread.currentThread().isInterrupted());
        });
    closing.close();

    assertThat(failure.get(60, TimeUnit.SECONDS)).hasMessageContaining("is closed");
    assertThat(interrupted.get(60, TimeUnit.SECONDS)).isFalse();
    proxy.stall(false);
  }

  /** Takes the only connection, and waits for an answer. */
  private static void waitingOrReading(RedisConnection redis) {
    AtomicBoolean begun = new AtomicBoolean();
    Thread thread =
        new Thread(
            () -> {
              begun.set(true);
              Throwable unused = catchThrowable(redis::ping);
            });
    thread.setDaemon(true);
    thread.start();
    await()
        .atMost(ofSeconds(60))
        .until(
            () ->
                begun.get()
                    && List.of(thread.getStackTrace()).stream()
                        .anyMatch(frame -> frame.getMethodName().equals("executeCommand")));
  }

  @Test
  void everyFailureOfEveryOperationIsOneOfThisLibrary() throws Exception {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    AtomicInteger calls = new AtomicInteger();
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    try (RedisConnection redis =
            RedisConnection.open(config(2).commandTimeout(ofMillis(300)).build());
        TaskClient client = TaskClient.create(redis)) {
      client.enqueue(TASK, o -> o.queue("q").id("seed"));
      List<Runnable> operations = operations(redis, client);
      for (int i = 0; i < 8; i++) {
        int first = i;
        Thread thread =
            new Thread(
                () -> {
                  for (int k = first; !done.get(); k++) {
                    calls.incrementAndGet();
                    Throwable failure = failureOf(operations.get(k % operations.size()));
                    if (failure != null && !isOurs(failure)) {
                      failures.add(failure);
                    }
                  }
                });
        thread.start();
        threads.add(thread);
      }
      for (int round = 0; round < 30 || calls.get() < 200; round++) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        if (round % 3 == 0) {
          proxy.refuse();
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
          proxy.acceptAgain();
        } else {
          proxy.cutAll();
        }
      }
      done.set(true);
      for (Thread thread : threads) {
        thread.join(60_000);
        assertThat(thread.isAlive()).isFalse();
      }
      assertThat(failures).isEmpty();
      await()
          .atMost(ofSeconds(60))
          .ignoreExceptions()
          .until(() -> client.enqueue(TASK, o -> o.queue("q")).isEnqueued());
    }
  }

  private static List<Runnable> operations(RedisConnection redis, TaskClient client) {
    Inspector inspector = Inspector.create(redis);
    TaskLeases leases = TaskLeases.create(redis);
    return List.of(
        () -> client.enqueue(TASK, o -> o.queue("q")),
        () -> client.durably(Durability.REPLICATED).enqueue(TASK, o -> o.queue("q")),
        () -> requireOurs(client.enqueueAll(List.of(any(), any(), any()))),
        () -> client.enqueueAsync(TASK, o -> o.queue("q")).toCompletableFuture().join(),
        () -> client.within(ofMillis(50)).enqueue(TASK, o -> o.queue("q")),
        () -> lease(leases),
        () -> redis.ping(),
        () -> inspector.queues(),
        () -> inspector.queue("q").snapshot(),
        () -> inspector.queue("q").tasks(TaskState.PENDING, PageRequest.first(10)),
        () -> inspector.servers(),
        () -> inspector.schedules(),
        () -> inspector.doctor(DoctorOptions.dryRun().build()),
        () -> inspector.queue("q").cancel("seed"),
        () -> inspector.redisInfo(),
        () -> inspector.queue("q").nodes());
  }

  private static EnqueueRequest any() {
    return EnqueueRequest.of(TASK, o -> o.queue("q"));
  }

  private static void requireOurs(List<EnqueueResult> results) {
    for (EnqueueResult result : results) {
      if (result instanceof EnqueueResult.Failed failed) {
        throw failed.error();
      }
    }
  }

  private static void lease(TaskLeases leases) {
    for (LeasedTask task : leases.claim("q", 3, ofSeconds(30))) {
      leases.progress(task, 10, "begun");
      leases.extend(task, ofSeconds(30));
      leases.complete(task);
    }
  }

  private static @Nullable Throwable failureOf(Runnable operation) {
    Throwable failure = catchThrowable(operation::run);
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  private static boolean isOurs(Throwable failure) {
    return failure instanceof BrokerException
        || failure instanceof UnconfirmedTaskException
        || failure instanceof TaskNotFoundException
        // The state of the task depends on which calls reached Redis.
        || failure instanceof TaskStateException;
  }
}
