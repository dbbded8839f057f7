package io.asynq4j.internal.server.duty;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.broker.Aggregation;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.FinishAnswer;
import io.asynq4j.internal.broker.Aggregation.SetContent;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.server.config.GroupConfig;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.server.GroupAggregator.Aggregated;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Combines the tasks of a group into one when the group is ready. */
public final class Aggregator implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Aggregator.class);

  private static final String NOT_STARTED =
      SafeLog.text("the aggregator could not start to aggregate a group; retrying later");
  private static final String FAILED = SafeLog.text("could not aggregate a group; retrying later");

  private static final Set<QueuePart> GROUPS = EnumSet.of(QueuePart.GROUPS);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  private record Group(QueueName queue, String name) {}

  /** Backoff of a group, longer with each consecutive failure. */
  private record Failure(Duration pause, long until) {

    static Failure after(@Nullable Failure before) {
      Duration pause =
          before == null ? FIRST_PAUSE : TimeMath.min(before.pause.multipliedBy(2), LONGEST_PAUSE);
      return new Failure(pause, System.nanoTime() + pause.toNanos());
    }
  }

  private final GroupConfig config;
  private final DutyContext context;
  private final Broker broker;
  private final Function<String, TaskOptions> typeOptions;
  private final ShardTopology shards;
  private final ExecutorService threads;
  private final ShardedRunner checking;
  private final Set<Group> running = ConcurrentHashMap.newKeySet();
  private final Map<Group, Failure> failures = new ConcurrentHashMap<>();

  /**
   * @param typeOptions the options of a task type, by its name
   * @param threads limits how many groups are aggregated at once; the others wait in its queue
   */
  public Aggregator(
      GroupConfig config,
      DutyContext context,
      Function<String, TaskOptions> typeOptions,
      ExecutorService threads) {
    this.config = config;
    this.context = context;
    this.broker = context.broker();
    this.typeOptions = typeOptions;
    this.shards = context.shards();
    this.threads = threads;
    this.checking = context.runner("aggregator", LONGEST_INTERVAL, this::check);
  }

  /** Returns the delay between two runs. */
  public Duration interval() {
    Duration third = config.rules().grace().dividedBy(3);
    return TimeMath.max(SHORTEST_INTERVAL, TimeMath.min(third, LONGEST_INTERVAL));
  }

  @Override
  public void run() {
    checking.each(broker.watches().having(context.queues().names(), GROUPS));
    failures.keySet().removeIf(group -> !running.contains(group) && !rests(group));
  }

  private void check(QueueName queue) {
    for (String name : broker.aggregation().groups(queue)) {
      Group group = new Group(queue, name);
      if (!rests(group) && running.add(group)) {
        start(group);
      }
    }
  }

  /** Returns whether the group is in its backoff after a failure. */
  private boolean rests(Group group) {
    Failure failure = failures.get(group);
    return failure != null && failure.until() - System.nanoTime() > 0;
  }

  private void start(Group group) {
    try {
      threads.execute(
          () -> {
            try {
              // Otherwise the groups of an unresponsive server would delay those of others.
              if (!shards.outages().isDown(shards.of(group.queue()))) {
                aggregateAll(group);
              }
            } finally {
              running.remove(group);
            }
          });
    } catch (RejectedExecutionException e) {
      running.remove(group);
    } catch (RuntimeException | Error e) {
      running.remove(group);
      SafeLog.error(log, NOT_STARTED, e);
    }
  }

  /** Aggregates all sets of a group that are ready, not one per round. */
  private void aggregateAll(Group group) {
    try {
      while (!threads.isShutdown()) {
        Optional<AggregationSet> set =
            broker.aggregation().aggregate(group.queue(), group.name(), config.rules());
        if (set.isEmpty()) {
          return;
        }
        if (!aggregate(set.get())) {
          failures.compute(group, (any, before) -> Failure.after(before));
          return;
        }
        failures.remove(group);
      }
    } catch (RuntimeException e) {
      failures.compute(group, (any, before) -> Failure.after(before));
      if (!shards.outages().failed(shards.of(group.queue()), e)) {
        log.warn(
            "could not aggregate group {} of queue {}; retrying later",
            group.name(),
            group.queue(),
            e);
      }
    } catch (Error e) {
      SafeLog.error(log, FAILED, e);
    }
  }

  private boolean aggregate(AggregationSet set) {
    Aggregation aggregation = broker.aggregation();
    SetContent content = aggregation.read(set);
    if (content.deadline() == null) {
      return true;
    }
    if (content.messages().isEmpty()) {
      aggregation.finish(set, null);
      return true;
    }
    List<Task> members = content.messages().stream().map(TaskMessage::task).toList();
    try {
      Aggregated made = config.aggregator().aggregate(set.queue(), set.group(), members);
      TaskOptions options =
          perTask(typeOptions.apply(made.task().type()))
              .overriddenBy(made.options())
              .overriddenBy(TaskOptions.of(o -> o.queue(set.queue().value())));
      return finish(
          set, NewTask.of(made.task(), options, broker.clock().instant()), members.size());
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      log.error(
          "the aggregator failed on {} tasks of group {} of queue {}; they return to the group",
          members.size(),
          set.group(),
          set.queue(),
          e);
      aggregation.giveBack(set);
      return false;
    }
  }

  private boolean finish(AggregationSet set, NewTask task, int members) {
    FinishAnswer answer = broker.aggregation().finish(set, task);
    switch (answer) {
      case DONE -> {}
      case SET_LOST ->
          log.warn(
              "aggregating {} tasks of group {} of queue {} took too long; they returned to the group",
              members,
              set.group(),
              set.queue());
      case ID_CONFLICT, DUPLICATE -> {
        log.error(
            "the task aggregated from {} tasks of group {} of queue {} was rejected ({}); they return to the group",
            members,
            set.group(),
            set.queue(),
            answer == FinishAnswer.DUPLICATE
                ? "an equal unique task exists"
                : "its ID is already in use");
        broker.aggregation().giveBack(set);
      }
    }
    return answer == FinishAnswer.DONE;
  }

  /**
   * Returns the options of a type without those that place a single task: queue, time, group and
   * ID.
   */
  public static TaskOptions perTask(TaskOptions type) {
    TaskOptions.Builder options = TaskOptions.builder();
    Optional.ofNullable(type.maxRetry()).ifPresent(options::maxRetry);
    Optional.ofNullable(type.timeout()).ifPresent(options::timeout);
    Optional.ofNullable(type.deadline()).ifPresent(options::deadline);
    Optional.ofNullable(type.uniqueFor()).ifPresent(options::uniqueFor);
    Optional.ofNullable(type.retention()).ifPresent(options::retention);
    type.headers().forEach(options::header);
    return options.build();
  }
}
