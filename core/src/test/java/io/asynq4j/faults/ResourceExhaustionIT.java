package io.asynq4j.faults;

import static io.asynq4j.server.ServerFixture.Q;
import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.GroupConfig;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.duty.Aggregator;
import io.asynq4j.internal.server.duty.DutyContext;
import io.asynq4j.internal.server.settle.AttemptReportWriter;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.settle.SettlementContext;
import io.asynq4j.internal.server.settle.SettlementThreadPools;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.server.GroupAggregator.Aggregated;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServerAccess;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Everything continues after memory or threads ran out for a while. */
@SuppressWarnings("NullAway.Init") // Set before each test.
class ResourceExhaustionIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final Handler<Task> handler = (task, context) -> Outcome.done();
  private final ScarceThreads threads = new ScarceThreads();
  private final SettlementThreadPools settlerThreads = new SettlementThreadPools(threads::create);
  private final AttemptRegistry attempts = new AttemptRegistry();
  private final WakeupSignal signal = new WakeupSignal();
  private final Queue<LinkageError> fatal = new ConcurrentLinkedQueue<>();
  private ServerConfig config;

  /** Threads that cannot be had during a shortage. */
  private static final class ScarceThreads extends ThreadPoolExecutor {
    volatile boolean shortage;

    ScarceThreads() {
      super(2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    Thread create(Runnable task) {
      requireNoShortage();
      return new Thread(task, "resource-exhaustion-test");
    }

    @Override
    public void execute(Runnable command) {
      requireNoShortage();
      super.execute(command);
    }

    private void requireNoShortage() {
      if (shortage) {
        throw new OutOfMemoryError("unable to create native thread, on purpose");
      }
    }
  }

  /** Settles, after it has failed a few times. */
  private final class ScarceSink extends AttemptHosts.IgnoringSink {
    private final SettlementBuffer settler;
    private final AtomicInteger failures;

    ScarceSink(SettlementBuffer settler, int failures) {
      this.settler = settler;
      this.failures = new AtomicInteger(failures);
    }

    @Override
    public void settle(Attempt attempt, AppliedOutcome applied) {
      if (failures.getAndDecrement() > 0) {
        throw new OutOfMemoryError("Java heap space, on purpose");
      }
      settler.add(attempt, applied);
    }

    @Override
    public void returned(Attempt attempt) {
      attempts.returned(attempt);
    }
  }

  @BeforeEach
  void build() {
    config = TaskServerAccess.config(world.quick(handler));
  }

  @AfterEach
  void shutDown() {
    threads.shortage = false;
    threads.shutdownNow();
    settlerThreads.close().forEach(ExecutorService::shutdownNow);
  }

  private ShardTopology shards() {
    return new ShardTopology(
        world.broker().watches(),
        new OutageTracker(AttemptHosts.NO_LISTENERS, world.broker().clock()),
        Runnable::run);
  }

  private SettlementBuffer settler() {
    return settler(world.broker().leases(), new RecordingServerListener());
  }

  private SettlementBuffer settler(LeaseOperations source, ServerListener listener) {
    return new SettlementBuffer(
        new SettlementContext(
            TaskServerAccess.config(world.quick(handler).listener(listener)),
            source,
            attempts,
            shards(),
            settlerThreads,
            new AttemptReportWriter(world.broker().leases(), shards()),
            queue -> signal.raise(),
            fatal::add));
  }

  private Attempt claimed(AttemptHosts.IgnoringSink sink) {
    Claim claim =
        world.broker().leases().claim(Q, 1, Duration.ofMinutes(1), QueueRules.NONE).claims().get(0);
    AttemptHost host =
        AttemptHosts.of(config, handler, world.broker().leases(), world.broker().clock(), sink);
    Attempt attempt = new Attempt(1, claim, host);
    attempts.add(attempt);
    return attempt;
  }

  @Test
  void whatNoThreadWasThereToSettleIsSettledLater() {
    SettlementBuffer settler = settler();
    ScarceSink sink = new ScarceSink(settler, 0);
    world.enqueueMany("a", 2, options -> options);
    Attempt first = claimed(sink);
    Attempt second = claimed(sink);

    threads.shortage = true;
    first.run();
    second.run();
    assertThat(settler.waiting()).isEqualTo(2);
    threads.shortage = false;
    settler.catchUp();

    soon(() -> assertThat(settler.waiting()).isZero());
    soon(() -> assertThat(attempts.all()).isEmpty());
    world.awaitNothingActive();
  }

  @Test
  void aQueueWhoseSettlementsNoThreadWasThereForIsSettledWithTheNextTask() {
    SettlementBuffer settler = settler();
    ScarceSink sink = new ScarceSink(settler, 0);
    world.enqueueMany("a", 2, options -> options);
    Attempt first = claimed(sink);
    Attempt second = claimed(sink);

    threads.shortage = true;
    first.run();
    threads.shortage = false;
    second.run();

    soon(() -> assertThat(attempts.all()).isEmpty());
    world.awaitNothingActive();
  }

  @Test
  void anAttemptThatCouldNotBeHandedOverIsHandedOverWithTheNextCheck() {
    ScarceSink sink = new ScarceSink(settler(), 2);
    world.enqueue("a");
    Attempt attempt = claimed(sink);

    attempt.run();
    assertThat(attempts.all()).containsExactly(attempt);
    for (int check = 0; check < 2; check++) {
      attempt.check(System.nanoTime());
    }

    soon(() -> assertThat(attempts.all()).isEmpty());
    world.awaitGone("a");
  }

  /** A source that settles, and whose answers get lost to failures that are not of Redis. */
  private static LeaseOperations losingAnswers(Queue<Throwable> failures) {
    LeaseOperations source = world.broker().leases();
    return (LeaseOperations)
        Proxy.newProxyInstance(
            LeaseOperations.class.getClassLoader(),
            new Class<?>[] {LeaseOperations.class},
            (proxy, method, arguments) -> {
              Object answer = method.invoke(source, arguments);
              Throwable failure = method.getName().equals("settle") ? failures.poll() : null;
              if (failure != null) {
                throw failure;
              }
              return answer;
            });
  }

  @Test
  void whatWasSettledBeforeAnErrorIsNotTakenForALostLease() {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    failures.add(new OutOfMemoryError("Java heap space, on purpose"));
    RecordingServerListener recorder = new RecordingServerListener();
    SettlementBuffer settler = settler(losingAnswers(failures), recorder);
    world.enqueue("a", options -> options.retention(Duration.ofHours(1)));

    claimed(new ScarceSink(settler, 0)).run();

    soon(() -> assertThat(recorder.lines("settled a")).containsExactly("settled a DONE"));
    assertThat(recorder.lines("leaseLost")).isEmpty();
  }

  @Test
  void codeThatCannotBeLinkedIsReportedAsFatalSinceNothingCanBeSettled() {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    failures.add(new NoSuchMethodError("of another version, on purpose"));
    SettlementBuffer settler = settler(losingAnswers(failures), new RecordingServerListener());
    world.enqueue("a");

    claimed(new ScarceSink(settler, 0)).run();

    soon(
        () ->
            assertThat(fatal)
                .singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining("on purpose")));
    world.awaitGone("a");
  }

  @Test
  void finishedWorkIsNotArchivedForFailuresThatSayNothingAboutIt() {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 6; i++) {
      failures.add(new IllegalStateException("on purpose"));
    }
    RecordingServerListener recorder = new RecordingServerListener();
    SettlementBuffer settler = settler(losingAnswers(failures), recorder);
    world.enqueue("a", options -> options.retention(Duration.ofHours(1)));

    claimed(new ScarceSink(settler, 0)).run();

    soon(() -> assertThat(recorder.lines("settled a")).containsExactly("settled a DONE"));
    assertThat(world.state("a")).isEqualTo(TaskState.COMPLETED);
  }

  /** A source that is given settlements without their error, which cannot be encoded. */
  @SuppressWarnings("NullAway") // on purpose
  private static LeaseOperations withoutErrors() {
    LeaseOperations source = world.broker().leases();
    return (LeaseOperations)
        Proxy.newProxyInstance(
            LeaseOperations.class.getClassLoader(),
            new Class<?>[] {LeaseOperations.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("settle")) {
                arguments[1] =
                    ((List<?>) arguments[1])
                        .stream()
                            .map(
                                each ->
                                    each instanceof Settlement.Retry retry
                                        ? new Settlement.Retry(
                                            retry.claim(), retry.delay(), null, true, false)
                                        : each instanceof Settlement.Archive archive
                                            ? new Settlement.Archive(archive.claim(), null)
                                            : each)
                            .toList();
              }
              try {
                return method.invoke(source, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aTaskWhoseSettlementCannotBeEncodedIsArchivedAsItIsStored() {
    RecordingServerListener recorder = new RecordingServerListener();
    SettlementBuffer settler = settler(withoutErrors(), recorder);
    world.enqueue("a");
    Attempt attempt = claimed(new ScarceSink(settler, 0));
    IllegalStateException failure = new IllegalStateException("on purpose");

    try (CapturedLogs logs = new CapturedLogs()) {
      settler.add(
          attempt,
          new AppliedOutcome(
              Outcome.retry("no", Duration.ZERO),
              new Settlement.Retry(attempt.claim(), Duration.ZERO, "no", true, false),
              failure,
              /* failed= */ true));

      soon(() -> assertThat(recorder.lines("settled a")).containsExactly("settled a ARCHIVE"));
      assertThat(logs.linesWith("cannot be settled as RETRY")).hasSize(1);
      assertThat(logs.linesWith("archived with its message as it is stored")).hasSize(1);
      assertThat(logs.linesWith("could not settle 1 tasks")).hasSize(2);
    }
    assertThat(settler.waiting()).isZero();
    assertThat(world.state("a")).isEqualTo(TaskState.ARCHIVED);
    assertThat(world.info("a").lastError()).contains("could not be settled as ARCHIVE");
  }

  @Test
  void tasksGoBackToTheirQueueWhenAThreadCanBeHadAgain() {
    SettlementBuffer settler = settler();
    world.enqueue("a");
    Attempt attempt = claimed(new ScarceSink(settler, 0));

    threads.shortage = true;
    Throwable failure = catchError(() -> settler.requeue(Q, List.of(attempt)));
    assertThat(failure).isInstanceOf(OutOfMemoryError.class);
    assertThat(settler.waiting()).isZero();
    threads.shortage = false;
    settler.requeue(Q, List.of(attempt));

    world.awaitState("a", TaskState.PENDING);
    soon(() -> assertThat(settler.waiting()).isZero());
  }

  private static @Nullable Throwable catchError(Runnable action) {
    try {
      action.run();
      return null;
    } catch (OutOfMemoryError e) {
      return e;
    }
  }

  @Test
  void aGroupThatNoThreadWasThereForIsAggregatedLater() {
    GroupConfig groups =
        new GroupConfig(
            (queue, group, tasks) -> Aggregated.of(Task.of("batch")),
            new GroupRules(2, Duration.ZERO, Duration.ofMinutes(1), Duration.ofMinutes(1)),
            1);
    Aggregator aggregator =
        new Aggregator(
            groups,
            new DutyContext(config, world.broker(), new ServedQueues(config), shards()),
            type -> TaskOptions.defaults(),
            threads);
    world.enqueueMany("a", 2, options -> options.group("g"));

    threads.shortage = true;
    catchError(aggregator);
    threads.shortage = false;

    soon(
        () -> {
          aggregator.run();
          assertThat(world.count(TaskState.PENDING)).isEqualTo(1);
        });
  }

  @Test
  void theThreadsThatSettleAreThereBeforeTasksAreClaimed() {
    world.start(
        world
            .quick(handler)
            .groups(
                groups ->
                    groups.aggregator((queue, group, tasks) -> Aggregated.of(Task.of("batch")))));

    // The order in which they are started is the order of the numbers.
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .contains("asynq-settler-4", "asynq-aggregator-3", "asynq-duty-3");
  }

  @Test
  void aSubscriptionOutlivesAnErrorOfItsListener() {
    AtomicInteger received = new AtomicInteger();
    Consumer<String> listener =
        message -> {
          if (received.incrementAndGet() == 1) {
            throw new OutOfMemoryError("Java heap space, on purpose");
          }
        };
    CancellationChannel.Subscription subscription =
        world.broker().cancellations().subscribe(listener);
    try {
      soon(
          () -> {
            world.broker().cancellations().publish("a");
            assertThat(received).hasValueGreaterThan(1);
          });
    } finally {
      subscription.close();
    }
  }

  @Test
  void anActorThatAnErrorEscapesFromIsRunAgain() {
    AtomicInteger runs = new AtomicInteger();

    ThreadSupervisor.untilReturned(
            () -> {
              if (runs.incrementAndGet() < 3) {
                throw new OutOfMemoryError("Java heap space, on purpose");
              }
            })
        .run();

    assertThat(runs).hasValue(3);
  }
}
