package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.interop.peer.GoPeer;
import io.asynq4j.interop.peer.GoPrograms;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.GoTaskInfo;
import io.asynq4j.interop.peer.JavaWorker;
import io.asynq4j.interop.peer.PayloadDrivenHandler;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.Parameter;
import redis.clients.jedis.Jedis;

/** One Redis that Go and Java use together. */
public abstract class InteropTestBase {

  /** The queue of most tests. */
  public static final String Q = "shared";

  static final String GROUP = "together";
  static final Duration HOUR = Duration.ofHours(1);

  /** Longer than the lease of either side, and the 30 seconds that Go waits beyond it. */
  private static final double LONG_AGO = 3600;

  @Parameter @Nullable InteropSetup parameter;

  InteropSetup setting;
  TestRedis store;
  GoPeer peer;
  RedisConnection redis;
  TaskClient client;
  Inspector inspector;

  /** Before each test, not before all: only so every one of them is reported as skipped. */
  @BeforeEach
  void start() {
    setting = Objects.requireNonNull(parameter);
    Path program = GoPrograms.peer(setting.go());
    store = TestRedis.of(getClass(), setting);
    store.clear();
    peer = new GoPeer(program, store.uri());
    redis = RedisConnection.open(store.uri());
    client = TaskClient.create(redis);
    inspector = Inspector.create(redis);
  }

  @AfterEach
  void stop() {
    // They were never started where the tests are skipped.
    if (client != null) {
      client.close();
    }
    if (redis != null) {
      redis.close();
    }
  }

  @AfterAll
  static void closeStores(TestInfo tests) {
    TestRedis.closeThoseOf(tests.getTestClass().orElseThrow());
  }

  // ---- Go

  WorkerProcess goWorker(String... flags) {
    return peer.work(Q, flags);
  }

  List<GoPeer.Answer> goEnqueues(GoTask... tasks) {
    return goEnqueues(List.of(tasks));
  }

  List<GoPeer.Answer> goEnqueues(List<GoTask> tasks) {
    return peer.enqueue(tasks);
  }

  <T> List<T> goSees(Class<T> type, String... question) {
    return peer.inspect(type, question);
  }

  GoTaskInfo goSeesTask(String queue, String id) {
    return goSees(GoTaskInfo.class, "task", queue, id).get(0);
  }

  void goDoes(String... order) {
    peer.inspect(Object.class, order);
  }

  // ---- ours

  /** A worker of ours in a JVM of its own, which can be killed and stalled. */
  WorkerProcess javaWorker() {
    return WorkerProcess.start(
        javaCommand(JavaWorker.class, Q), "", GoPrograms.TARGET.resolve("java-worker.log"));
  }

  List<String> javaCommand(Class<?> main, String queues) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-Xmx256m",
        "-cp",
        System.getProperty("java.class.path"),
        main.getName(),
        store.uri(),
        queues);
  }

  /** A server of ours in this JVM, with short intervals. */
  TaskServerBuilder javaServer() {
    return javaServer(Q);
  }

  TaskServerBuilder javaServer(String... queues) {
    TaskServerBuilder server =
        TaskServer.builder(redis)
            .timing(
                timing ->
                    timing
                        .recoverInterval(Duration.ofMillis(100))
                        .janitorInterval(Duration.ofMillis(500)))
            .shutdownTimeout(Duration.ofSeconds(5));
    for (String queue : queues) {
      server.queue(queue);
    }
    return server;
  }

  List<EnqueueResult> weEnqueue(GoTask... tasks) {
    return weEnqueue(List.of(tasks));
  }

  List<EnqueueResult> weEnqueue(List<GoTask> tasks) {
    return client.enqueueAll(
        tasks.stream().map(task -> EnqueueRequest.of(task.task(), task.options())).toList());
  }

  // ---- either

  /** One of the two implementations. */
  enum Side {
    GO,
    JAVA;

    Side other() {
      return this == GO ? JAVA : GO;
    }
  }

  void enqueue(Side side, List<GoTask> tasks) {
    if (side == Side.GO) {
      assertThat(goEnqueues(tasks)).extracting(GoPeer.Answer::status).containsOnly("enqueued");
    } else {
      assertThat(weEnqueue(tasks)).allMatch(EnqueueResult::isEnqueued);
    }
  }

  /**
   * Lets a worker of one side process the pending tasks of queues; failed ones wait for an hour.
   */
  void process(Side side, String... queues) {
    if (side == Side.GO) {
      WorkerProcess go = peer.work(String.join(",", queues), "-retry-delay", "1h");
      try {
        soon(() -> assertNothingIsLeftToDo(queues));
      } finally {
        go.close();
      }
    } else {
      try (TaskServer server =
          javaServer(queues)
              .retryPolicy(RetryPolicy.fixed(HOUR))
              .handlers(new PayloadDrivenHandler(event -> {}))
              .build()) {
        server.start();
        soon(() -> assertNothingIsLeftToDo(queues));
      }
    }
  }

  private void assertNothingIsLeftToDo(String... queues) {
    for (String queue : queues) {
      QueueSnapshot now = inspector.queue(queue).snapshot();
      assertThat(now.size(TaskState.PENDING) + now.size(TaskState.ACTIVE)).isZero();
    }
  }

  /** The states of tasks that are not active. */
  static final List<TaskState> AT_REST =
      List.of(
          TaskState.RETRY,
          TaskState.ARCHIVED,
          TaskState.COMPLETED,
          TaskState.PENDING,
          TaskState.SCHEDULED,
          TaskState.AGGREGATING);

  /**
   * Has one side alone leave a task of each name in each of these states in each of these queues.
   * Their ids are the name, a dash and the word of the state.
   */
  void leaveInEachState(Side side, List<String> names, String... queues) {
    for (List<TaskState> states : List.of(AT_REST.subList(0, 3), AT_REST.subList(3, 6))) {
      List<GoTask> tasks = new ArrayList<>();
      for (String queue : queues) {
        for (TaskState state : states) {
          names.forEach(name -> tasks.add(endingAs(state, name).queue(queue).build()));
        }
      }
      enqueue(side, tasks);
      if (states.contains(TaskState.RETRY)) {
        process(side, queues);
      }
    }
  }

  private static GoTask.Builder endingAs(TaskState state, String name) {
    String id = name + "-" + state.word();
    return switch (state) {
      case RETRY -> GoTask.of(id, "fail broken");
      case ARCHIVED -> GoTask.of(id, "archive für immer");
      case COMPLETED -> GoTask.of(id, "bytes 00ff80fe0a").retention(HOUR);
      case SCHEDULED -> GoTask.of(id, "x").processIn(HOUR);
      case AGGREGATING -> GoTask.of(id, "x").group(GROUP);
      default -> GoTask.of(id, "x");
    };
  }

  // ---- content of Redis

  TaskInfo task(String id) {
    return inspector.queue(Q).task(id);
  }

  TaskState stateOf(String queue, String id) {
    return inspector.queue(queue).task(id).state();
  }

  QueueSnapshot stats() {
    return inspector.queue(Q).snapshot();
  }

  /** All tasks of a state in the order in which Go lists them. */
  List<TaskInfo> listed(String queue, TaskState state) {
    PageRequest all = PageRequest.first(1000).oldestFirst();
    TaskPage page =
        state == TaskState.AGGREGATING
            ? inspector.queue(queue).groupTasks(GROUP, all)
            : inspector.queue(queue).tasks(state, all);
    assertThat(page.unreadable()).isEmpty();
    return page.tasks();
  }

  Jedis jedis() {
    return store.jedis(Q);
  }

  static String key(String part) {
    return key(Q, part);
  }

  static String key(String queue, String part) {
    return "asynq:{" + queue + "}:" + part;
  }

  /** Ends the lease of a task as if an hour had passed, without waiting. */
  void ageLease(String id) {
    try (Jedis jedis = jedis()) {
      assertThat(jedis.zscore(key("lease"), id)).isNotNull();
      jedis.zincrby(key("lease"), -LONG_AGO, id);
    }
  }

  /** Asserts that no task is active, and that no lease is left. */
  void assertNothingIsActive() {
    try (Jedis jedis = jedis()) {
      assertThat(jedis.exists(key("active"), key("lease"))).isZero();
    }
  }

  /** Asserts that the data of both sides is consistent. */
  void assertTheDoctorFindsNothing() {
    assertThat(inspector.doctor(DoctorOptions.dryRun().build()))
        .satisfies(
            diagnosis -> {
              assertThat(diagnosis.findings()).isEmpty();
              assertThat(diagnosis.problems()).isEmpty();
              assertThat(diagnosis.isHealthy()).isTrue();
            });
  }

  /** The same after kills: killed servers are listed until their presence expires. */
  void assertTheDoctorFindsNothingOfTheDead() {
    await()
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              // Reading the list removes them from it.
              goDoes("servers");
              assertTheDoctorFindsNothing();
            });
  }

  static void soon(ThrowingRunnable assertion) {
    await().pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
  }
}
