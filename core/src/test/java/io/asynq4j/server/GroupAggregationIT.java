package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.Q;
import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.server.GroupAggregator.Aggregated;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Aggregation of the tasks of a group. */
class GroupAggregationIT {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  /** The payloads of the tasks that were made of many, as they were handled. */
  private final ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();

  private TaskServerBuilder aggregating(GroupAggregator aggregator) {
    return world
        .quick(
            (task, context) -> {
              handled.add(task.type() + " " + task.payload().utf8());
              return Outcome.done();
            })
        .groups(groups -> groups.aggregator(aggregator));
  }

  private static Aggregated sizeOf(String group, List<Task> tasks) {
    return Aggregated.of(Task.of("batch", Payload.ofUtf8(group + " " + tasks.size())));
  }

  private static long waiting(String group) {
    return world
        .tasks()
        .list(Q, new Listing(TaskState.AGGREGATING, group, false, 0, 1, null))
        .total();
  }

  private static void awaitNoGroups() {
    soon(() -> assertThat(world.queues().groupSizes(Q)).isEmpty());
  }

  @Test
  void aGroupIntoWhichNothingMoreComesBecomesOneTask() throws Exception {
    world.start(
        aggregating((queue, group, tasks) -> sizeOf(group, tasks))
            .groups(groups -> groups.grace(Duration.ofSeconds(2))));
    for (int i = 0; i < 3; i++) {
      world.enqueue("a" + i, options -> options.group("g"));
      // They come one after the other, each within the grace of the one before.
      Thread.sleep(300);
    }

    soon(() -> assertThat(handled).containsExactly("batch g 3"));
    awaitNoGroups();
    soon(() -> assertThat(world.find("a0")).isEmpty());
  }

  @Test
  void aGroupIntoWhichTasksKeepComingBecomesOneAfterItsLongestDelay() throws Exception {
    world.start(
        aggregating((queue, group, tasks) -> sizeOf(group, tasks))
            .groups(groups -> groups.grace(MINUTE).maxDelay(Duration.ofSeconds(2))));
    world.enqueue("a", options -> options.group("g"));
    world.enqueue("b", options -> options.group("g"));

    soon(() -> assertThat(handled).containsExactly("batch g 2"));
    awaitNoGroups();
  }

  @Test
  void fixesW44_aFullGroupBecomesAllItsTasksAtOnce() {
    world.enqueueMany("a", 23, options -> options.group("g"));
    world.start(
        aggregating((queue, group, tasks) -> sizeOf(group, tasks))
            .groups(groups -> groups.grace(MINUTE).maxSize(5)));

    soon(
        () ->
            assertThat(handled)
                .containsExactly("batch g 5", "batch g 5", "batch g 5", "batch g 5"));
    assertThat(waiting("g")).isEqualTo(3);
  }

  private static final TaskType<String> DIGEST =
      TaskType.of("digest", String.class)
          .with(
              options ->
                  options
                      .maxRetry(2)
                      .timeout(Duration.ofSeconds(7))
                      .retention(MINUTE)
                      .group("g")
                      .queue("elsewhere"));

  /** What became of the members, with the options that it has while it runs. */
  private static TaskInfo aggregatedBy(GroupAggregator aggregator, TaskServerBuilder server) {
    world.enqueueMany("a", 2, options -> options.group("g"));
    TaskServer started =
        world.start(
            server.groups(groups -> groups.aggregator(aggregator).grace(MINUTE).maxSize(2)));
    soon(() -> assertThat(world.ids(Q, TaskState.COMPLETED)).hasSize(1));
    started.stop();
    return world.info(world.ids(Q, TaskState.COMPLETED).get(0));
  }

  @Test
  void theTaskMadeOfManyHasTheOptionsOfItsType() {
    TaskInfo made =
        aggregatedBy(
            (queue, group, tasks) -> Aggregated.of(DIGEST, "two"),
            world.quick((task, context) -> Outcome.done()));

    assertThat(made.type()).isEqualTo("digest");
    assertThat(made.maxRetry()).isEqualTo(2);
    assertThat(made.timeout()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void theTaskMadeOfManyHasTheOptionsThatItsHandlerKnowsUnlessItHasOthers() {
    Mux mux = Mux.builder().run(DIGEST, (input, context) -> {}).build();
    TaskInfo made =
        aggregatedBy(
            (queue, group, tasks) ->
                Aggregated.of(
                    DIGEST.task("two", PayloadCodec.json()), options -> options.maxRetry(9)),
            world.quick(mux));

    assertThat(made.maxRetry()).isEqualTo(9);
    assertThat(made.timeout()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void membersComeInTheirOrderAndTheirTaskHasOptionsOfItsOwn() {
    for (int i = 0; i < 5; i++) {
      String id = "a" + i;
      world
          .broker()
          .enqueueing()
          .enqueue(
              List.of(
                  NewTask.of(
                      Task.of("t", Payload.ofUtf8("p" + i)),
                      TaskOptions.of(o -> o.id(id).group("g").maxRetry(1)),
                      world.redis.clock().instant())));
    }
    ConcurrentLinkedQueue<String> members = new ConcurrentLinkedQueue<>();
    world.start(
        aggregating(
                (queue, group, tasks) -> {
                  tasks.forEach(task -> members.add(task.payload().utf8()));
                  return Aggregated.of(
                      Task.of("batch"),
                      options ->
                          options.id("made").queue("elsewhere").maxRetry(9).processIn(MINUTE));
                })
            .groups(groups -> groups.grace(MINUTE).maxSize(5)));

    world.awaitState("made", TaskState.SCHEDULED);
    assertThat(members).containsExactly("p0", "p1", "p2", "p3", "p4");
    assertThat(world.info("made").maxRetry()).isEqualTo(9);
    assertThat(world.info("made").queue()).isEqualTo(Q);
  }

  @Test
  void fixesW04_whatAnAggregatorFailsOnGoesBackAndIsTriedAgain() {
    AtomicInteger tries = new AtomicInteger();
    world.enqueueMany("a", 3, options -> options.group("g"));
    @SuppressWarnings("NullAway")
    GroupAggregator failing =
        (queue, group, tasks) ->
            switch (tries.incrementAndGet()) {
              case 1 -> throw new StackOverflowError();
              case 2 -> null;
              default -> sizeOf(group, tasks);
            };
    world.start(aggregating(failing).groups(groups -> groups.grace(MINUTE).maxSize(3)));

    soon(() -> assertThat(handled).containsExactly("batch g 3"));
    assertThat(tries).hasValue(3);
    awaitNoGroups();
  }

  @Test
  void anAggregatorThatAlwaysFailsIsLeftAloneForLongerAndLonger() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    world.enqueueMany("a", 3, options -> options.group("g"));
    world.start(
        aggregating(
                (queue, group, tasks) -> {
                  tries.incrementAndGet();
                  throw new IllegalStateException("never");
                })
            .groups(groups -> groups.grace(Duration.ZERO)));
    soon(() -> assertThat(tries.get()).isEqualTo(2));
    // Ten of its intervals: the third try comes 2 s after the second.
    Thread.sleep(1_000);

    assertThat(tries).hasValue(2);
    soon(() -> assertThat(waiting("g")).isEqualTo(3));
  }

  @Test
  void aTaskThatIsRefusedAsADuplicateLosesNoMember() {
    world.enqueue("made");
    world.queueControl().pause(Q);
    world.enqueueMany("a", 3, options -> options.group("g"));
    world.start(
        aggregating(
                (queue, group, tasks) ->
                    Aggregated.of(
                        Task.of("batch", Payload.ofUtf8(group + " " + tasks.size())),
                        options -> options.id("made")))
            .groups(groups -> groups.grace(MINUTE).maxSize(3)));
    soon(() -> assertThat(waiting("g")).isEqualTo(3));

    world.queueControl().resume(Q);
    soon(() -> assertThat(handled).contains("batch g 3"));
  }

  @Test
  void aGroupThatTakesLongHoldsUpNoOther() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Map<String, Integer> made = new ConcurrentHashMap<>();
    for (int i = 0; i < 100; i++) {
      String group = "g" + i;
      world.enqueueMany(group + "-", 2, options -> options.group(group));
    }
    world.enqueueMany("slow-", 2, options -> options.group("slow"));
    world.start(
        aggregating(
                (queue, group, tasks) -> {
                  if (group.equals("slow")) {
                    release.await();
                  }
                  made.put(group, tasks.size());
                  return sizeOf(group, tasks);
                })
            .groups(groups -> groups.grace(MINUTE).maxSize(2).parallelism(2)));

    soon(() -> assertThat(made).hasSize(100).doesNotContainKey("slow"));
    release.countDown();
    soon(() -> assertThat(handled).hasSize(101));
    awaitNoGroups();
  }

  @Test
  void groupsWaitForAServerThatAggregates() throws Exception {
    world.enqueueMany("a", 2, options -> options.group("g"));
    world.start(world.quick((task, context) -> Outcome.done()));
    soon(() -> assertThat(world.broker().presence().seen(broken -> {})).hasSize(1));
    // Long enough for a look.
    Thread.sleep(200);

    assertThat(waiting("g")).isEqualTo(2);
  }
}
