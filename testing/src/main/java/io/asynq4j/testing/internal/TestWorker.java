package io.asynq4j.testing.internal;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskOptions;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.HandlerNotFoundException;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.attempt.FailureLog;
import io.asynq4j.internal.server.config.ConfiguredServer;
import io.asynq4j.internal.server.config.GroupConfig;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.config.ServerDefinitions;
import io.asynq4j.internal.server.duty.Aggregator;
import io.asynq4j.internal.server.duty.DutyContext;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.server.TaskServerBuilder;
import io.asynq4j.testing.AttemptResult;
import io.asynq4j.testing.DrainedAttempt;
import io.asynq4j.testing.Fault;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * Claims tasks, runs them with the code of a server on the calling thread, and settles them. Not
 * thread-safe.
 */
public final class TestWorker {

  /** Causes can be circular. */
  private static final int LONGEST_CAUSES = 50;

  private final TestRedis redis;
  private final Broker broker;
  private final ServerConfig config;
  private final @Nullable Handler<Task> handler;
  private final OutcomePolicy policy;
  private final FailureLog failures;
  private long number;
  private @Nullable AssertionError assertionError;

  /** Checks the settings as a server does. */
  public TestWorker(TestRedis redis, TaskServerBuilder builder) {
    ConfiguredServer configured = ConfiguredServer.of(builder);
    this.redis = redis;
    this.broker = redis.broker();
    this.config = configured.config();
    this.handler = configured.handler();
    if (handler != null) {
      // Throws if it can handle nothing; which queues are served does not matter here.
      List<String> unused = config.warnings(handler);
    }
    this.policy = config.outcomePolicy();
    this.failures = new FailureLog(/* limit= */ 0, /* everyTrace= */ false, System::nanoTime);
  }

  public ServerConfig config() {
    return config;
  }

  /** Throws an {@code IllegalStateException} if there are no handlers. */
  public Handler<Task> requireHandlers() {
    if (handler == null) {
      throw new IllegalStateException(
          "no handlers are set, so no task can be run: pass a Mux to handlers(…) of TestQueues, AsynqExtension or AsynqTestEnvironment");
    }
    return handler;
  }

  /** Reads the central list of definitions if the settings refer to it, as a server does. */
  public void readDefinitions() {
    ServerDefinitions defined = config.defined();
    if (defined != null) {
      defined.begin(new ServedQueues(config));
    }
  }

  // ---- one call

  /** Calls a handler without a task in Redis. */
  public AttemptResult perform(
      Task task, TaskOptions options, int retried, @Nullable CancelReason cancel) {
    Handler<Task> all = requireHandlers();
    readDefinitions();
    if (all instanceof Mux mux && !mux.handles(task.type())) {
      throw new IllegalStateException(
          "no handler for task type \"%s\": the Mux has %s; add one with run(…) or handle(…)"
              .formatted(task.type(), mux.patterns().stream().sorted().toList()));
    }
    TaskMessage message = retried(NewTask.of(task, options, redis.now()).message(), retried);
    Claim claim = new Claim(message, "perform", redis.now().plus(config.lease()), redis.now());
    List<Progress> progress = new ArrayList<>();
    List<Payload> results = new ArrayList<>();
    AttemptHost.Reports reports =
        new AttemptHost.Reports() {
          @Override
          public void progress(Attempt attempt, Progress report) {
            progress.add(report);
          }

          @Override
          public boolean writeResult(Attempt attempt, Payload result) {
            return results.add(result);
          }
        };
    AtomicReference<@Nullable AppliedOutcome> applied = new AtomicReference<>();
    AtomicReference<@Nullable Attempt> self = new AtomicReference<>();
    Handler<Task> cancelling =
        (input, context) -> {
          if (cancel != null) {
            Objects.requireNonNull(self.get()).cancel(cancel);
          }
          return all.handle(input, context);
        };
    Thrown thrown = new Thrown(cancelling);
    Attempt attempt =
        new Attempt(++number, claim, host(thrown, (any, outcome) -> applied.set(outcome), reports));
    self.set(attempt);
    call(attempt);
    rethrow(thrown);
    AppliedOutcome outcome = Objects.requireNonNull(applied.get());
    return new AttemptResult(
        outcome.outcome(),
        thrown.error != null ? thrown.error : outcome.error(),
        progress,
        results);
  }

  private static TaskMessage retried(TaskMessage message, int retried) {
    return new TaskMessage(
        message.type(),
        message.payload(),
        message.id(),
        message.queue(),
        message.maxRetry(),
        retried,
        message.lastError(),
        message.timeout(),
        message.deadline(),
        message.uniqueKey(),
        message.lastFailedAt(),
        message.retention(),
        message.completedAt(),
        message.group(),
        message.headers(),
        message.unknownFields());
  }

  /** Remembers what a handler throws. */
  private static final class Thrown implements Handler<Task> {
    private final Handler<Task> handler;
    private @Nullable Throwable error;

    Thrown(Handler<Task> handler) {
      this.handler = handler;
    }

    @Override
    public Outcome handle(Task input, io.asynq4j.handler.TaskContext context) throws Exception {
      try {
        return handler.handle(input, context);
      } catch (Throwable e) {
        if (!(e instanceof HandlerNotFoundException)) {
          error = e;
        }
        throw e;
      }
    }
  }

  /** A failed assertion in a handler is meant for the test, not for the retry policy. */
  private static void rethrow(Thrown thrown) {
    AssertionError failed = failedAssertion(thrown.error);
    if (failed != null) {
      throw failed;
    }
  }

  /** Also a cause: that of a future is wrapped. */
  private static @Nullable AssertionError failedAssertion(@Nullable Throwable error) {
    return Stream.iterate(error, Objects::nonNull, Throwable::getCause)
        .limit(LONGEST_CAUSES)
        .flatMap(each -> each instanceof AssertionError e ? Stream.of(e) : Stream.empty())
        .findFirst()
        .orElse(null);
  }

  private AttemptHost host(
      Handler<Task> called,
      BiConsumer<Attempt, AppliedOutcome> settler,
      AttemptHost.Reports reports) {
    return new AttemptHost(
        config,
        called,
        policy,
        failures,
        broker.leases(),
        broker.clock(),
        settler,
        attempt -> {},
        reports);
  }

  private static void call(Attempt attempt) {
    AttemptWatch watch = AttemptWatch.of(attempt);
    try {
      attempt.run();
    } finally {
      watch.stop();
    }
  }

  // ---- tasks in Redis

  /** Returns the queue whose head has been pending longest; empty if no task is pending. */
  public Optional<QueueName> longestPending(List<QueueName> queues) {
    record Head(QueueName queue, BigDecimal since) {}
    List<String> since = redis.raw().pendingSince(queues);
    return IntStream.range(0, queues.size())
        .filter(i -> !since.get(i).isEmpty())
        .mapToObj(i -> new Head(queues.get(i), new BigDecimal(since.get(i))))
        .min(Comparator.comparing(Head::since).thenComparing(head -> head.queue().value()))
        .map(Head::queue);
  }

  /** Returns the number of pending tasks. */
  public long pending(QueueName queue) {
    return redis.raw().number(Command.LLEN, "asynq:{" + queue + "}:pending");
  }

  public ClaimBatch claim(QueueName queue) {
    ClaimBatch batch = broker.leases().claim(queue, 1, config.lease(), config.rulesOf(queue));
    if (!batch.claims().isEmpty()) {
      config.listeners().publish(listener -> listener.claimed(queue, 1));
    }
    return batch;
  }

  /** Runs a claimed task and settles it, unless a fault prevents that. */
  public DrainedAttempt run(Claim claim) {
    if (redis.faults().take(Fault.AFTER_CLAIM)) {
      return attempted(claim, null, null, Fault.AFTER_CLAIM);
    }
    Thrown thrown = new Thrown(requireHandlers());
    AtomicReference<@Nullable AppliedOutcome> applied = new AtomicReference<>();
    Attempt attempt;
    try {
      attempt =
          new Attempt(
              ++number, claim, host(thrown, (any, outcome) -> applied.set(outcome), new Stored()));
    } catch (RuntimeException e) {
      AppliedOutcome invalid = OutcomePolicy.unattemptable(claim, e);
      settle(invalid);
      return attempted(claim, invalid.outcome(), e, null);
    }
    call(attempt);
    assertionError = failedAssertion(thrown.error);
    if (redis.faults().take(Fault.BEFORE_SETTLE)) {
      return attempted(claim, null, null, Fault.BEFORE_SETTLE);
    }
    AppliedOutcome outcome = settle(Objects.requireNonNull(applied.get()));
    publishSettled(attempt, outcome);
    return attempted(claim, outcome.outcome(), outcome.error(), null);
  }

  private final class Stored implements AttemptHost.Reports {
    @Override
    public void progress(Attempt attempt, Progress progress) {
      broker.leases().writeProgress(attempt.claim(), progress);
    }

    @Override
    public boolean writeResult(Attempt attempt, Payload result) {
      return broker.leases().writeResult(attempt.claim(), result);
    }
  }

  /** Throws a failed assertion of the last handler. */
  public void rethrowAssertionError() {
    AssertionError error = assertionError;
    if (error != null) {
      assertionError = null;
      throw error;
    }
  }

  private DrainedAttempt attempted(
      Claim claim, @Nullable Outcome outcome, @Nullable Throwable error, @Nullable Fault fault) {
    TaskMessage message = claim.message();
    return new DrainedAttempt(
        message.id(),
        message.queue(),
        message.type(),
        message.retried(),
        message.maxRetry(),
        redis.now(),
        outcome,
        error,
        fault);
  }

  /** Settles, and like a server archives a task whose settlement Redis rejects. */
  private AppliedOutcome settle(AppliedOutcome outcome) {
    QueueName queue = outcome.settlement().claim().queue();
    try {
      List<SettleResult> results =
          broker
              .leases()
              .settle(
                  queue, List.of(outcome.settlement()), config.rulesOf(queue), config.archive());
      if (results.get(0) != SettleResult.APPLIED) {
        throw new IllegalStateException(
            "task %s of queue %s was not settled, because its lease is lost: the clock was moved, or Redis was emptied, while its handler ran"
                .formatted(outcome.settlement().claim().id(), queue));
      }
      return outcome;
    } catch (BrokerRefusedException e) {
      return settle(OutcomePolicy.unsettleable(outcome, e));
    }
  }

  private void publishSettled(Attempt attempt, AppliedOutcome outcome) {
    Duration sinceEnded = attempt.sinceEnded();
    config.listeners().publish(listener -> listener.settledTogether(attempt.queue(), 1));
    config
        .listeners()
        .publish(listener -> listener.settled(attempt.ref(), outcome.outcome(), sinceEnded));
  }

  /** Aggregates the groups that are ready. Returns what aggregators have thrown. */
  public List<Throwable> aggregate(List<QueueName> queues) {
    GroupConfig groups = config.groups();
    List<Throwable> thrown = new ArrayList<>();
    if (groups == null || queues.isEmpty()) {
      return thrown;
    }
    GroupConfig recording =
        new GroupConfig(
            (queue, group, tasks) -> {
              try {
                return groups.aggregator().aggregate(queue, group, tasks);
              } catch (Throwable e) {
                thrown.add(e);
                throw e;
              }
            },
            groups.rules(),
            groups.parallelism());
    ServedQueues served = new ServedQueues(config);
    queues.forEach(queue -> served.add(queue, 1));
    ShardTopology shards =
        new ShardTopology(
            broker.watches(), new OutageTracker(config.listeners(), broker.clock()), Runnable::run);
    Function<String, TaskOptions> options =
        handler instanceof Mux mux ? mux::options : type -> TaskOptions.defaults();
    new Aggregator(
            recording,
            new DutyContext(config, broker, served, shards),
            options,
            new DirectExecutor())
        .run();
    return thrown;
  }
}
