package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.broker.Aggregation;
import io.asynq4j.broker.Aggregation.AggregationSet;
import io.asynq4j.broker.Aggregation.FinishAnswer;
import io.asynq4j.broker.Aggregation.SetContent;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Lookout.Part;
import io.asynq4j.broker.NewTask;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes one task of many when a group is ready. */
final class Aggregator implements Duty {

  private static final Logger log = LoggerFactory.getLogger(Aggregator.class);

  private static final Set<Part> GROUPS = EnumSet.of(Part.GROUPS);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);

  private record Group(QueueName queue, String name) {}

  private final GroupConfig config;
  private final Broker broker;
  private final Queues queues;
  private final ExecutorService threads;
  private final Semaphore permits;
  private final Set<Group> underWay = ConcurrentHashMap.newKeySet();

  Aggregator(GroupConfig config, Broker broker, Queues queues, ExecutorService threads) {
    this.config = config;
    this.broker = broker;
    this.queues = queues;
    this.threads = threads;
    this.permits = new Semaphore(config.parallelism());
  }

  @Override
  public String name() {
    return "aggregator";
  }

  @Override
  public Duration interval() {
    Duration third = config.rules().grace().dividedBy(3);
    if (third.compareTo(SHORTEST_INTERVAL) < 0) {
      return SHORTEST_INTERVAL;
    }
    return third.compareTo(LONGEST_INTERVAL) > 0 ? LONGEST_INTERVAL : third;
  }

  @Override
  public Duration run() {
    for (QueueName queue : broker.lookout().having(queues.names(), GROUPS)) {
      for (String name : broker.aggregation().groups(queue)) {
        Group group = new Group(queue, name);
        if (!underWay.contains(group) && permits.tryAcquire()) {
          underWay.add(group);
          start(group);
        }
      }
    }
    return interval();
  }

  private void start(Group group) {
    try {
      threads.execute(
          () -> {
            try {
              aggregateAll(group);
            } finally {
              end(group);
            }
          });
    } catch (RejectedExecutionException e) {
      end(group);
    }
  }

  private void end(Group group) {
    underWay.remove(group);
    permits.release();
  }

  /** All sets of a group that are ready, not one for each look. */
  private void aggregateAll(Group group) {
    try {
      Optional<AggregationSet> set;
      do {
        set = broker.aggregation().aggregate(group.queue(), group.name(), config.rules());
      } while (set.isPresent() && aggregate(set.get()));
    } catch (RuntimeException e) {
      log.warn(
          "could not aggregate group {} of queue {}; tried again later",
          group.name(),
          group.queue(),
          e);
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
    List<Task> members =
        content.messages().stream()
            .map(message -> new Task(message.type(), message.payload(), message.headers()))
            .toList();
    GroupAggregator.Aggregated made;
    try {
      made = config.aggregator().aggregate(set.queue(), set.group(), members);
      TaskOptions options =
          made.options().overriddenBy(TaskOptions.of(o -> o.queue(set.queue().value())));
      return finish(
          set, NewTask.of(made.task(), options, broker.clock().instant()), members.size());
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      log.error(
          "the aggregator failed on {} tasks of group {} of queue {}; they go back to it",
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
      case DONE -> {
        return true;
      }
      case SET_LOST ->
          log.warn(
              "aggregating {} tasks of group {} of queue {} took too long; they went back to it",
              members,
              set.group(),
              set.queue());
      case ID_CONFLICT, DUPLICATE -> {
        log.error(
            "the task made of {} tasks of group {} of queue {} is refused ({}); they go back to it",
            members,
            set.group(),
            set.queue(),
            answer == FinishAnswer.DUPLICATE ? "an equal one exists" : "its id is taken");
        broker.aggregation().giveBack(set);
      }
    }
    return false;
  }
}
