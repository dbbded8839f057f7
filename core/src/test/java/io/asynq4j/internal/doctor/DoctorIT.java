package io.asynq4j.internal.doctor;

import static io.asynq4j.fixture.BrokerFixture.LEASE;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Finding;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.inspect.InspectorAccess;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** The doctor on large queues, and on queues in use. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DoctorIT {

  private static final GroupRules AT_ONCE =
      new GroupRules(1, Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1));

  private static final Duration BUSY =
      Duration.ofSeconds(Boolean.getBoolean("asynq4j.full") ? 10 : 2);

  private TestRedis server;

  TestRedis start() {
    return TestRedis.standalone();
  }

  @BeforeAll
  void startServer() {
    server = start();
  }

  @AfterAll
  void stopServer() {
    server.close();
  }

  @BeforeEach
  void empty() {
    server.flush();
  }

  @Test
  void ofALongListOnlyTheMiddleIsOutOfReach() {
    try (BrokerFixture redis = new BrokerFixture(server)) {
      redis.raw(Command.SADD, RedisKeys.QUEUES, "q");
      List<CommandArguments> commands = new ArrayList<>();
      for (int i = 0; i < 40_000; i++) {
        String id = i == 100 || i == 20_000 || i == 39_900 ? "ghost" + i : "n" + i;
        commands.add(new CommandArguments(Command.LPUSH).add(key("pending")).add(id));
        if (id.startsWith("n")) {
          commands.add(
              new CommandArguments(Command.HSET)
                  .add(RedisKeys.task(Q, id))
                  .add("state")
                  .add("pending")
                  .add("msg")
                  .add(MessageCodec.encode(redis.task(id).message())));
        }
        if (commands.size() > 2000) {
          redis.link.callAll(RedisKeys.slot(RedisKeys.prefix(Q)), commands);
          commands.clear();
        }
      }
      redis.link.callAll(RedisKeys.slot(RedisKeys.prefix(Q)), commands);
      redis.seedRecord(TaskState.PENDING, "lost");

      Diagnosis diagnosis =
          InspectorAccess.broker(redis.broker)
              .doctor(DoctorOptions.repair().lookAgainAfter(Duration.ZERO).build());

      assertThat(diagnosis.findings())
          .containsExactly(
              Finding.of(
                  FindingKind.ID_WITHOUT_RECORD,
                  Q,
                  3,
                  2,
                  List.of("ghost39900", "ghost20000", "ghost100")),
              Finding.of(FindingKind.RECORD_WITHOUT_CONTAINER, Q, 1, 1, List.of("lost")));
      assertThat(redis.raw(Command.LLEN, key("pending"))).isEqualTo(39_999L);
      assertThat(redis.rawText(Command.LINDEX, key("pending"), "0")).isEqualTo("lost");
    }
  }

  @Test
  void whereWorkersAreBusyNothingIsFoundAndNothingDisturbed() throws InterruptedException {
    try (RedisConnection connection = RedisConnection.open(server.config())) {
      Broker broker = BrokerConnection.brokerOf(connection);
      AtomicBoolean stop = new AtomicBoolean();
      AtomicInteger produced = new AtomicInteger();
      Map<String, Integer> done = new ConcurrentHashMap<>();
      Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
      ExecutorService threads = Executors.newFixedThreadPool(5);
      threads.execute(loop(stop, surprises, () -> produce(broker, produced)));
      for (int i = 0; i < 2; i++) {
        threads.execute(loop(stop, surprises, () -> work(broker, done)));
      }
      threads.execute(loop(stop, surprises, () -> aggregate(broker, produced)));
      threads.execute(loop(stop, surprises, () -> broker.upkeep().forward(Q, 50)));
      List<Finding> found = new ArrayList<>();
      List<String> problems = new ArrayList<>();
      long until = System.nanoTime() + BUSY.toNanos();
      int scans = 0;
      while (System.nanoTime() < until) {
        DoctorOptions options =
            DoctorOptions.repair().lookAgainAfter(Duration.ofMillis(20)).build();
        Diagnosis diagnosis = InspectorAccess.broker(broker).doctor(options);
        found.addAll(diagnosis.findings());
        problems.addAll(diagnosis.problems());
        scans++;
      }
      stop.set(true);
      threads.shutdown();
      assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();

      assertThat(surprises).isEmpty();
      assertThat(found).isEmpty();
      assertThat(problems).isEmpty();
      assertThat(scans).isGreaterThan(1);
      assertThat(done).hasSizeGreaterThan(100);
      assertThat(done.values()).allMatch(times -> times == 1);
    }
  }

  private static Runnable loop(AtomicBoolean stop, Queue<Throwable> surprises, Runnable work) {
    return () -> {
      while (!stop.get()) {
        try {
          work.run();
        } catch (RuntimeException | AssertionError e) {
          surprises.add(e);
          return;
        }
      }
    };
  }

  private static NewTask task(String id, Broker broker, UnaryOperator<TaskOptions.Builder> more) {
    return NewTask.of(
        Task.of("t", Payload.ofUtf8(id)),
        TaskOptions.of(o -> more.apply(o.id(id).queue("q"))),
        broker.clock().instant());
  }

  private static void produce(Broker broker, AtomicInteger produced) {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String id = "p" + produced.incrementAndGet();
      tasks.add(
          switch (i % 4) {
            case 0 -> task(id, broker, o -> o.processIn(Duration.ofMillis(200)).precise());
            case 1 -> task(id, broker, o -> o.uniqueFor(Duration.ofMinutes(1)));
            case 2 -> task(id, broker, o -> o.group("g"));
            default -> task(id, broker, o -> o.retention(Duration.ofMinutes(1)));
          });
    }
    broker.enqueueing().enqueue(tasks);
  }

  private static void work(Broker broker, Map<String, Integer> done) {
    List<Settlement> settlements = new ArrayList<>();
    for (Claim claim : broker.leases().claim(Q, 30, LEASE, QueueRules.NONE).claims()) {
      boolean again = claim.message().retried() == 0 && claim.id().endsWith("7");
      settlements.add(
          again
              ? new Settlement.Retry(claim, Duration.ofMillis(100), "once more", true, true)
              : new Settlement.Complete(claim, Payload.absent()));
    }
    List<SettleResult> settled =
        broker.leases().settle(Q, settlements, QueueRules.NONE, ArchiveRules.DEFAULT);
    for (int i = 0; i < settled.size(); i++) {
      assertThat(settled.get(i)).isEqualTo(SettleResult.APPLIED);
      if (settlements.get(i) instanceof Settlement.Complete complete) {
        done.merge(complete.claim().id(), 1, Integer::sum);
      }
    }
  }

  private static void aggregate(Broker broker, AtomicInteger produced) {
    AggregationSet set = broker.aggregation().aggregate(Q, "g", AT_ONCE).orElse(null);
    if (set != null) {
      String id = "a" + produced.incrementAndGet();
      broker.aggregation().finish(set, task(id, broker, o -> o));
      broker.aggregation().sweep(Q, 50);
    }
  }
}
