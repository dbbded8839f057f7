package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.interop.ServerFleet.Attempt;
import io.asynq4j.interop.ServerFleet.Member;
import io.asynq4j.interop.peer.GoPeer;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.PayloadDrivenHandler;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.TaskServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.resps.Tuple;

/** Workers of both kinds, side by side on the same queues. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.asynq4j.interop.InteropSetup#allOrFirst")
class MixedFleetIT extends InteropTestBase {

  private static final Logger log = LoggerFactory.getLogger(MixedFleetIT.class);

  private static final List<String> QUEUES = List.of("mixed-a", "mixed-b");

  private static final int TASKS = InteropSetup.FULL ? 200_000 : 4_000;
  private static final Duration KILLING = Duration.ofSeconds(InteropSetup.FULL ? 180 : 10);
  private static final Duration BETWEEN_KILLS =
      Duration.ofMillis(InteropSetup.FULL ? 2_500 : 1_500);

  /**
   * In the long form a lease of Go's and 30 seconds, or an aggregation's two minutes, are waited
   * for, with a minute until Go looks for them; in the short one they are let end.
   */
  private static final Duration DRAINING = Duration.ofSeconds(InteropSetup.FULL ? 420 : 45);

  /** Long enough that workers are busy for most of the time, and kills hit something. */
  private static final int LONGEST_MILLIS = InteropSetup.FULL ? 20 : 80;

  @TempDir Path logs;

  @Test
  void eachTaskIsProcessedOnceByOneOfTheTwo() {
    int count = 2_000;
    List<GoTask> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(SampleTasks.text("task-" + i, "sleep 4ms"));
    }
    // Paused, so that neither is done before the other has started.
    inspector.queue(Q).pause();
    enqueue(Side.JAVA, tasks.subList(0, count / 2));
    enqueue(Side.GO, tasks.subList(count / 2, count));

    Queue<WorkerProcess.Event> seenByOurs = new ConcurrentLinkedQueue<>();
    try (WorkerProcess go = goWorker("-concurrency", "5");
        TaskServer server =
            javaServer()
                .concurrency(5)
                .handlers(new PayloadDrivenHandler(seenByOurs::add))
                .build()) {
      server.start();
      goDoes("unpause", Q);
      soon(() -> assertThat(stats().size()).isZero());

      List<String> seen = new ArrayList<>();
      seenByOurs.forEach(event -> seen.add(String.valueOf(event.id())));
      go.events("started").forEach(event -> seen.add(String.valueOf(event.id())));
      assertThat(seen).containsExactlyInAnyOrderElementsOf(tasks.stream().map(GoTask::id).toList());
      assertThat(seenByOurs).as("our share").hasSizeBetween(count / 10, count * 9 / 10);
    }
    assertThat(stats().processed()).isEqualTo(count);
    assertThat(stats().failed()).isZero();
    assertNothingIsActive();
  }

  /** The planned outcome of a task. */
  enum Fate {
    DONE,
    ARCHIVED,
    KEPT,
    JOINED
  }

  record Planned(GoTask task, Fate fate) {}

  @Test
  void twoServersOfEachKindLoseNothingWhileTheyAreKilled() throws Exception {
    List<Planned> plan = plan(new Random(5));
    Set<String> accepted = ConcurrentHashMap.newKeySet();
    ServerFleet.Kind go = new ServerFleet.Kind("go", peer.fleetCommand(String.join(",", QUEUES)));
    ServerFleet.Kind java =
        new ServerFleet.Kind("java", javaCommand(JavaFleetMember.class, String.join(",", QUEUES)));
    ServerFleet fleet = new ServerFleet(logs, List.of(java, go, java, go));
    try (fleet) {
      Awaitility.await().until(fleet::allReady);
      CompletableFuture<Void> producers =
          CompletableFuture.allOf(
              CompletableFuture.runAsync(() -> produce(Side.JAVA, half(plan, 0), accepted)),
              CompletableFuture.runAsync(() -> produce(Side.GO, half(plan, 1), accepted)));
      killFor(KILLING, fleet);
      producers.join();
      Awaitility.await()
          .atMost(DRAINING)
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> isDrained(fleet));
    }
    assertThat(accepted).hasSizeBetween(TASKS * 8 / 10, TASKS - 1);
    List<Planned> taken = plan.stream().filter(one -> accepted.contains(one.task.id())).toList();
    assertEverythingIsWhereItBelongs(taken);
    assertAttemptsAreExplained(fleet, taken);
    assertTheDoctorFindsNothingOfTheDead();
  }

  private static List<Planned> half(List<Planned> plan, int which) {
    return plan.subList(which * TASKS / 2, (which + 1) * TASKS / 2);
  }

  private static List<Planned> plan(Random random) {
    List<Planned> plan = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      plan.add(planned("task-" + i, random));
    }
    return plan;
  }

  private static Planned planned(String id, Random random) {
    String queue = QUEUES.get(random.nextInt(QUEUES.size()));
    int takes = random.nextInt(LONGEST_MILLIS);
    int kind = random.nextInt(100);
    GoTask.Builder task = GoTask.of(id, "roll " + takes + " 10 done");
    Fate fate = Fate.DONE;
    if (kind < 10) {
      task.processIn(Duration.ofMillis(500 + random.nextInt(3_000)));
    } else if (kind < 20) {
      task = GoTask.of(id, id).group("group-" + random.nextInt(5));
      fate = Fate.JOINED;
    } else if (kind < 30) {
      task = GoTask.of(id, "roll 10 10 done " + random.nextInt(50)).unique(HOUR);
    } else if (kind < 35) {
      task = GoTask.of(id, "roll 2 10 archive");
      fate = Fate.ARCHIVED;
    } else if (kind < 40) {
      task = GoTask.of(id, "roll 2 10 result").retention(Duration.ofDays(1));
      fate = Fate.KEPT;
    }
    return new Planned(task.queue(queue).build(), fate);
  }

  /** Enqueues all tasks in equal parts, while there are kills. */
  private void produce(Side side, List<Planned> plan, Set<String> accepted) {
    int parts = (int) (KILLING.toMillis() / 500);
    long begin = System.nanoTime();
    for (int part = 0; part < parts; part++) {
      List<GoTask> tasks =
          plan.subList(plan.size() * part / parts, plan.size() * (part + 1) / parts).stream()
              .map(Planned::task)
              .toList();
      if (side == Side.GO) {
        for (GoPeer.Answer answer : goEnqueues(tasks)) {
          if (answer.status().equals("enqueued")) {
            accepted.add(answer.id());
          }
        }
      } else {
        for (EnqueueResult result : weEnqueue(tasks)) {
          result.task().ifPresent(info -> accepted.add(info.id()));
        }
      }
      sleepUntil(begin, KILLING.multipliedBy(part + 1).dividedBy(parts));
    }
  }

  private static void killFor(Duration time, ServerFleet fleet) throws InterruptedException {
    Random random = new Random(7);
    List<Integer> next = new ArrayList<>();
    long begin = System.nanoTime();
    for (int kill = 1; ; kill++) {
      Duration at = BETWEEN_KILLS.multipliedBy(kill);
      if (at.compareTo(time) >= 0) {
        return;
      }
      sleepUntil(begin, at.plusMillis(random.nextInt(500)));
      if (next.isEmpty()) {
        // Each place in turn, so that both kinds are killed equally often.
        for (int place = 0; place < fleet.size(); place++) {
          next.add(place);
        }
        Collections.shuffle(next, random);
      }
      fleet.replace(next.remove(0));
    }
  }

  /** The load and the kills are spread over time: that is what the test is about. */
  private static void sleepUntil(long begin, Duration after) {
    long millis = after.toMillis() - (System.nanoTime() - begin) / 1_000_000;
    if (millis > 0) {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private boolean isDrained(ServerFleet fleet) {
    if (!InteropSetup.FULL && fleet.allReady()) {
      QUEUES.forEach(this::letTheDeadLose);
    }
    return fleet.allReady()
        && QUEUES.stream()
            .allMatch(
                queue -> {
                  QueueSnapshot now = inspector.queue(queue).snapshot();
                  long ended = now.size(TaskState.ARCHIVED) + now.size(TaskState.COMPLETED);
                  try (Jedis jedis = store.jedis(queue)) {
                    return now.size() == ended && !jedis.exists(key(queue, "aggregation_sets"));
                  }
                });
  }

  /**
   * Leases and aggregations that are as they were three seconds ago, when handlers take
   * milliseconds and nothing else is to be done, belong to processes that were killed; they are let
   * end, as if an hour had passed.
   */
  private void letTheDeadLose(String queue) {
    if (inspector.queue(queue).snapshot().size(TaskState.PENDING) > 0) {
      return;
    }
    try (Jedis jedis = store.jedis(queue)) {
      for (String set : List.of(key(queue, "lease"), key(queue, "aggregation_sets"))) {
        Set<Tuple> before = new HashSet<>(jedis.zrangeWithScores(set, 0, -1));
        if (!before.isEmpty()) {
          sleepUntil(System.nanoTime(), Duration.ofSeconds(3));
          for (Tuple now : jedis.zrangeWithScores(set, 0, -1)) {
            if (before.contains(now) && now.getScore() > System.currentTimeMillis() / 1e3 - 600) {
              jedis.zincrby(set, (double) -HOUR.toSeconds(), now.getElement());
            }
          }
        }
      }
    }
  }

  private void assertEverythingIsWhereItBelongs(List<Planned> taken) {
    for (String queue : QUEUES) {
      assertThat(
              idsOf(
                  inspector
                      .queue(queue)
                      .tasks(TaskState.ARCHIVED, PageRequest.first(10_000))
                      .tasks()))
          .isEqualTo(idsOf(taken, queue, Fate.ARCHIVED));
      List<TaskInfo> completed =
          inspector.queue(queue).tasks(TaskState.COMPLETED, PageRequest.first(10_000)).tasks();
      assertThat(idsOf(completed)).isEqualTo(idsOf(taken, queue, Fate.KEPT));
      assertThat(completed).allMatch(task -> task.result().utf8().equals(task.id()));
    }
  }

  private static Set<String> idsOf(List<TaskInfo> tasks) {
    return tasks.stream().map(TaskInfo::id).collect(Collectors.toSet());
  }

  private static Set<String> idsOf(List<Planned> plan, String queue, Fate fate) {
    return plan.stream()
        .filter(one -> one.fate == fate && one.task.queue().equals(queue))
        .map(one -> one.task.id())
        .collect(Collectors.toSet());
  }

  private void assertAttemptsAreExplained(ServerFleet fleet, List<Planned> taken) {
    Map<String, Long> kills =
        fleet.members().stream()
            .filter(Member::wasKilled)
            .collect(Collectors.groupingBy(Member::kind, Collectors.counting()));
    assertThat(kills.keySet()).containsExactlyInAnyOrder("go", "java");
    FleetVerifier review =
        new FleetVerifier(fleet.events(), kills.values().stream().mapToLong(n -> n).sum(), taken);
    review.assertOnlyWhatWasAcceptedWasRun();
    review.assertEachWasRunToItsEnd();
    Map<String, Integer> reasons = review.assertEachRepetitionHasItsReason();
    assertUniqueOnesWereAlone(review.attempts(), taken);
    log.info(
        "{}: {} tasks, {} refused as duplicates, {} killed; attempts beyond the first: {}",
        setting,
        taken.size(),
        TASKS - taken.size(),
        kills,
        reasons);
    for (String queue : QUEUES) {
      QueueSnapshot counted = inspector.queue(queue).snapshot();
      review.assertCountersFit(queue, counted.processed(), counted.failed());
    }
  }

  /** An equal task is accepted, and so run, only after the previous one has ended. */
  private static void assertUniqueOnesWereAlone(
      Map<String, List<Attempt>> attempts, List<Planned> taken) {
    Map<String, List<List<Attempt>>> equal = new HashMap<>();
    taken.stream()
        .map(Planned::task)
        .filter(task -> task.unique() != 0)
        .forEach(
            task ->
                equal
                    .computeIfAbsent(task.queue() + task.payload(), key -> new ArrayList<>())
                    .add(attempts.getOrDefault(task.id(), List.of())));
    assertThat(equal).isNotEmpty();
    for (List<List<Attempt>> tasks : equal.values()) {
      tasks.sort(Comparator.comparing(one -> one.get(0).start()));
      for (int i = 1; i < tasks.size(); i++) {
        List<Attempt> before = tasks.get(i - 1);
        Attempt last = before.get(before.size() - 1);
        assertThat(Math.max(last.start(), last.end()))
            .as("%s was over before %s began", last, tasks.get(i).get(0))
            .isLessThanOrEqualTo(tasks.get(i).get(0).start());
      }
    }
  }
}
