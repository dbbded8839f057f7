package io.asynq4j.redis;

import static io.asynq4j.fixture.BrokerFixture.LEASE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.asynq4j.AfterCancel;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.Durability;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.fixture.CapturedWarnings;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.InspectorAccess;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.redis.watch.RedisStoreWatchIT;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/** The permissions that a restricted user of Redis needs, and what fails with less. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
public class AclIT {

  AclIT() {}

  /** What the scripts and the library itself run. */
  public static final String NEEDED =
      "~asynq:* +ping +time +eval +evalsha +scan +del +exists +expire +expireat +pttl +rename +type"
          + " +get +mget +set +incrby"
          + " +hdel +hget +hgetall +hincrby +hmget +hset +hstrlen"
          + " +lindex +llen +lpop +lpos +lpush +lrange +lrem +lset +ltrim +rpop +rpush"
          + " +sadd +scard +sismember +smembers +srandmember +srem +sscan"
          + " +zadd +zcard +zcount +zrange +zrangebyscore +zrem +zremrangebyrank +zremrangebyscore"
          + " +zmscore +zrevrange +zscan +zscore";

  /** Optional permissions: without them it works, except for what the warnings report. */
  public static final String USEFUL =
      "&asynq:cancel &asynq:channel:* &__redis__:invalidate +publish +subscribe +client|tracking +client|id"
          + " +client|setname +client|getname +info +config|get +memory|usage";

  /** On a cluster, also these. */
  public static final String CLUSTER = "+asking +cluster|slots";

  private static final QueueName Q = QueueName.of("q");
  private static final GroupRules AT_ONCE =
      new GroupRules(1, Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1));

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

  public static void setUser(EmbeddedRedis redis, String name, String rules) {
    admin(
        redis,
        Command.ACL,
        ("SETUSER " + name + " reset on >pw resetchannels " + rules).split(" "));
  }

  private static Object admin(EmbeddedRedis redis, Command command, String... args) {
    try (Connection connection = TestRedis.connect(redis)) {
      CommandArguments arguments = new CommandArguments(command);
      for (String arg : args) {
        arguments.add(arg);
      }
      return connection.executeCommand(arguments);
    }
  }

  private RedisConnection connectAs(String rules) {
    setUser(server.primaries().get(0), "worker", rules);
    return RedisConnection.open(
        server.config().toBuilder().username("worker").password("pw").build());
  }

  private static NewTask task(String id, UnaryOperator<TaskOptions.Builder> options) {
    return NewTask.of(
        Task.of("t", Payload.ofUtf8("p" + id)),
        TaskOptions.of(o -> options.apply(o.id(id).queue("q"))),
        Instant.now());
  }

  private static void enqueue(Broker broker, String... ids) {
    for (String id : ids) {
      broker.enqueueing().enqueue(List.of(task(id, o -> o.uniqueFor(Duration.ofHours(1)))));
    }
  }

  /** Every call that a broker has, so that every command of every script is run. */
  public static void doEverything(Broker broker) {
    processTasks(broker);
    runChores(broker);
    aggregate(broker);
    showPresence(broker);
    fireSchedules(broker);
    inspect(broker);
    heal(broker);
    assertThat(broker.semaphores().acquire("s", 1, "a", Instant.now().plusSeconds(60))).isTrue();
    assertThat(broker.semaphores().release("s", "a")).isTrue();
  }

  private static void processTasks(Broker broker) {
    LeaseOperations source = broker.leases();
    enqueue(broker, "done", "again", "never", "back", "later", "lost");
    broker.enqueueing().enqueue(List.of(task("kept", o -> o.retention(Duration.ofMillis(1)))));
    broker
        .enqueueing()
        .enqueue(List.of(task("due", o -> o.processIn(Duration.ofMillis(1)).precise())));
    List<Claim> claims = source.claim(Q, 10, LEASE, QueueRules.NONE).claims();
    assertThat(claims).hasSize(7);
    source.extend(Q, claims, LEASE);
    assertThat(source.writeResult(claims.get(0), Payload.ofUtf8("half"))).isTrue();
    broker.actions().markCancelled(Q, claims.get(0).id(), AfterCancel.RETRY);
    Claim one = claims.get(0);
    assertThat(source.restore(Q, List.of(new LeaseOperations.LeaseRef(one.id(), one.token()))))
        .hasSize(1);
    List<Settlement> settlements =
        List.of(
            new Settlement.Complete(claims.get(0), Payload.ofUtf8("all")),
            new Settlement.Retry(claims.get(1), Duration.ofMinutes(1), "no", true, false),
            new Settlement.Archive(claims.get(2), "no"),
            new Settlement.Requeue(claims.get(3)),
            new Settlement.Reschedule(claims.get(4), Duration.ofMinutes(1), false),
            new Settlement.Complete(claims.get(6), Payload.ofUtf8("all")));
    source.settle(Q, settlements, QueueRules.NONE, ArchiveRules.DEFAULT);
    // With a limit and an order, which other lines of the scripts see to.
    source.claim(Q, 1, LEASE, new QueueRules(5, false));
    source.claim(Q, 1, LEASE, new QueueRules(0, true));
    source.claim(Q, 1, LEASE, new QueueRules(0, false, RateLimit.of(5, Duration.ofSeconds(1))));
  }

  private static void runChores(Broker broker) {
    await().untilAsserted(() -> assertThat(broker.upkeep().forward(Q, 10).moved()).isEqualTo(1));
    broker.upkeep().recover(Q, 10, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT);
    broker.upkeep().expire(Q, 10);
    broker.upkeep().trim(Q, 10, ArchiveRules.DEFAULT);
    broker.upkeep().repair(Q);
    broker.upkeep().relistGroups(Q);
  }

  private static void aggregate(Broker broker) {
    for (String id : List.of("g1", "g2", "g3")) {
      broker.enqueueing().enqueue(List.of(task(id, o -> o.group("g"))));
      assertThat(broker.aggregation().groups(Q)).containsExactly("g");
      AggregationSet set = broker.aggregation().aggregate(Q, "g", AT_ONCE).orElseThrow();
      assertThat(broker.aggregation().read(set).messages()).hasSize(1);
      if (id.equals("g1")) {
        broker.aggregation().giveBack(set);
        broker.actions().delete(Q, List.of("g1"));
      } else {
        broker.aggregation().finish(set, task("all-" + id, o -> o));
      }
    }
    broker.aggregation().reclaimStale(Q);
    broker.aggregation().sweep(Q, 10);
  }

  private static void showPresence(Broker broker) {
    Presence presence = broker.presence();
    Presence.Server server =
        new Presence.Server(
            "h", 1, "s", 1, Map.of("q", 1), false, "active", Instant.now(), 1, null);
    Presence.Worker worker =
        new Presence.Worker("h", 1, "s", "a", "t", Payload.ofUtf8("p"), Q, Instant.now(), null);
    presence.show(server, List.of(worker), Duration.ofSeconds(10));
    assertThat(presence.seen(unreadable -> {})).hasSize(1);
    assertThat(presence.workers(broken -> {})).hasSize(1);
    presence.hide(server);
    presence.showEntries(
        "sched",
        List.of(
            new Presence.SchedulerEntry(
                "e", "@daily", "t", Payload.ofUtf8("p"), List.of(), Instant.now(), null)),
        Duration.ofSeconds(10));
    assertThat(presence.schedulerEntries(unreadable -> {})).hasSize(1);
    presence.hideEntries("sched");
    presence.recordEvent("e", new Presence.SchedulerEvent("a", Instant.now()));
    assertThat(presence.events("e", 0, 5)).hasSize(1);
  }

  private static void fireSchedules(Broker broker) {
    ScheduleStore schedules = broker.schedules();
    assertThat(schedules.lead("g", "s", LEASE)).isTrue();
    assertThat(schedules.lead("g", "s", LEASE)).isTrue();
    Instant decided =
        schedules.enroll(List.of(new ScheduleLedger.Entry("e", Q, "@daily"))).values().stream()
            .map(ScheduleLedger.State::decided)
            .findFirst()
            .orElseThrow();
    schedules.requestRun("e");
    Instant request =
        Objects.requireNonNull(schedules.known(broken -> {}).get(0).state().runRequested());
    assertThat(schedules.known(broken -> {})).hasSize(1);
    assertThat(
            schedules.fire(
                Q,
                List.of(
                    new ScheduleLedger.Firing(
                        "e", decided, decided.plusSeconds(1), task("f1", o -> o)),
                    new ScheduleLedger.Firing("e", null, request, task("f2", o -> o.group("g"))))))
        .containsExactly(EnqueueReply.ENQUEUED, EnqueueReply.ENQUEUED);
    schedules.pause("e");
    schedules.resume("e");
    schedules.enroll(List.of(new ScheduleLedger.Entry("e", QueueName.of("moved"), "@daily")));
    schedules.look(List.of(new ScheduleLedger.Entry("e", QueueName.of("moved"), "@daily")));
    schedules.forget("e");
    schedules.resign("g", "s");
    broker.actions().delete(Q, List.of("f1", "f2"));
  }

  private static void inspect(Broker broker) {
    assertThat(broker.queues().names()).contains("q");
    enqueue(broker, "i1", "i2");
    broker.enqueueing().enqueue(List.of(task("i3", o -> o.group("g"))));
    broker.queues().snapshot(Q);
    broker.queues().history(Q, 3);
    assertThat(broker.queues().groupSizes(Q)).containsKey("g");
    assertThat(broker.tasks().task(Q, "i1").id()).isEqualTo("i1");
    for (TaskState state : TaskState.values()) {
      if (state != TaskState.AGGREGATING) {
        broker.tasks().list(Q, Listing.first(state, 10));
        broker.tasks().list(Q, new Listing(state, null, true, 0, 1, null));
      }
    }
    String cursor = broker.tasks().list(Q, Listing.first(TaskState.PENDING, 1)).cursor();
    broker.tasks().list(Q, new Listing(TaskState.PENDING, null, false, 0, 1, cursor));
    broker.tasks().list(Q, new Listing(TaskState.AGGREGATING, "g", false, 0, 10, null));
    broker.taskEdits().updatePayload(Q, "i2", Payload.ofUtf8("other"));
    broker.tasks().stored(Q, "i2");
    broker.tasks().ahead(Q, "i2");
    broker.actions().reschedule(Q, List.of("i2"), Instant.now().plusSeconds(60));
    broker.actions().archive(Q, List.of("i1"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);
    broker.actions().run(Q, List.of("i1"));
    broker.actions().delete(Q, List.of("i1"));
    assertThat(broker.queueControl().pause(Q)).isTrue();
    assertThat(broker.queues().pausedSince(Q)).isPresent();
    assertThat(broker.queueControl().resume(Q)).isTrue();
    broker
        .queueControl()
        .setLimits(Q, new QueueLimits(OptionalInt.of(3), Optional.of(false), Optional.empty()));
    broker.queueControl().limits(Q);
    broker.queueControl().setLimits(Q, QueueLimits.NONE);
    broker.queues().slot(Q);
    broker.queues().nodes(Q);
    QueueName gone = QueueName.of("gone");
    broker
        .enqueueing()
        .enqueue(
            List.of(
                NewTask.of(
                    Task.of("t", Payload.ofUtf8("p")),
                    TaskOptions.of(o -> o.queue("gone")),
                    Instant.now())));
    broker.queueRemoval().remove(gone, true);
  }

  private static void heal(Broker broker) {
    broker.presence().recordEvent("gone", new Presence.SchedulerEvent("a", Instant.now()));
    Diagnosis diagnosis =
        InspectorAccess.broker(broker)
            .doctor(DoctorOptions.repair().lookAgainAfter(Duration.ZERO).build());
    assertThat(diagnosis.problems()).isEmpty();
  }

  @Test
  void theDocumentationNamesExactlyWhatIsNeeded() throws IOException {
    String docs = Files.readString(Path.of("../docs/reference/redis-layout.md"));
    String documented =
        docs.substring(docs.indexOf("~asynq:*"), docs.indexOf("```", docs.indexOf("~asynq:*")));

    assertThat(documented.strip().split("\\s+")).containsExactlyInAnyOrder(NEEDED.split(" "));
  }

  @Test
  void theDocumentedPermissionsAreEnoughForEverything() {
    try (RedisConnection connection = connectAs(NEEDED + " " + USEFUL);
        CapturedWarnings warnings = new CapturedWarnings()) {
      doEverything(BrokerConnection.brokerOf(connection));
      assertThat(BrokerConnection.brokerOf(connection).queues().memoryUsage(Q)).isPresent();
      assertThat(BrokerConnection.brokerOf(connection).queues().redisInfo())
          .containsKey("redis_version");
      List<String> received = new CopyOnWriteArrayList<>();
      try (Subscription subscription =
          BrokerConnection.brokerOf(connection).cancellations().subscribe(received::add)) {
        assertThat(subscription).isNotNull();
        BrokerConnection.brokerOf(connection).cancellations().publish("a");
        await().until(() -> received.contains("a"));
      }
      try (Subscription subscription =
          BrokerConnection.brokerOf(connection)
              .pubSub()
              .subscribe(List.of("me"), message -> received.add(new String(message, UTF_8)))) {
        assertThat(subscription).isNotNull();
        BrokerConnection.brokerOf(connection).pubSub().publish("me", "b".getBytes(UTF_8));
        await().until(() -> received.contains("b"));
      }
      try (StoreWatch.Watch watch =
          BrokerConnection.brokerOf(connection).watches().watch(new Ignored())) {
        await().until(watch::isLive);
      }
      assertThat(warnings.lines()).isEmpty();
      assertThat(ReplyParser.text(admin(server.primaries().get(0), Command.CLIENT, "LIST")))
          .contains(" name=asynq4j ");
    }
  }

  @Test
  void anEntryOfAForbiddenQueueKeepsNoOtherFromBeingKnown() {
    String ofOneQueue = NEEDED.replace("~asynq:*", "~asynq:schedules ~asynq:{q}:*");
    try (RedisConnection connection = connectAs(ofOneQueue + " " + USEFUL)) {
      ScheduleStore schedules = BrokerConnection.brokerOf(connection).schedules();
      List<ScheduleLedger.Entry> entries =
          List.of(
              new ScheduleLedger.Entry("forbidden", QueueName.of("other"), "@daily"),
              new ScheduleLedger.Entry("allowed", Q, "@daily"));

      assertThat(schedules.enroll(entries)).containsOnlyKeys("allowed");
      assertThat(schedules.look(entries)).containsOnlyKeys("allowed");
      assertThatThrownBy(() -> schedules.enroll(entries.subList(0, 1)))
          .isInstanceOf(BrokerRefusedException.class);
    }
  }

  @Test
  void entriesOfAForbiddenQueueAreListedAsUnreadable() {
    ScheduleStore.Unreadable[] unreadable = new ScheduleStore.Unreadable[1];
    try (RedisConnection all = connectAs(NEEDED + " " + USEFUL)) {
      BrokerConnection.brokerOf(all)
          .schedules()
          .enroll(
              List.of(
                  new ScheduleLedger.Entry("forbidden", QueueName.of("other"), "@daily"),
                  new ScheduleLedger.Entry("allowed", Q, "@daily")));
    }
    String ofOneQueue = NEEDED.replace("~asynq:*", "~asynq:schedules ~asynq:{q}:*");
    try (RedisConnection connection = connectAs(ofOneQueue + " " + USEFUL)) {
      assertThat(
              BrokerConnection.brokerOf(connection)
                  .schedules()
                  .known(entry -> unreadable[0] = entry))
          .extracting(known -> known.entry().name())
          .containsExactly("allowed");
    }
    assertThat(unreadable[0].name()).isEqualTo("forbidden");
    assertThat(unreadable[0].queue()).isEqualTo("other");
    assertThat(unreadable[0].reason()).contains("NOPERM");
  }

  @ParameterizedTest
  @CsvSource({
    "-client,     may not run CLIENT",
    "-info,       may not run INFO",
    "-config,     may not check whether it saves snapshots",
    "-evalsha,    may not run EVALSHA",
    "-memory,     memory usage of queues is not shown",
    "-subscribe,  may not subscribe",
    "resetchannels, may not subscribe"
  })
  void withoutSomethingUsefulTheRestWorksAfterOneWarning(String missing, String warning) {
    try (CapturedWarnings warnings = new CapturedWarnings();
        RedisConnection connection = connectAs(NEEDED + " " + USEFUL + " " + missing)) {
      doEverything(BrokerConnection.brokerOf(connection));
      OptionalLong memory = BrokerConnection.brokerOf(connection).queues().memoryUsage(Q);
      assertThat(memory.isPresent()).isEqualTo(!missing.equals("-memory"));
      BrokerConnection.brokerOf(connection).queues().memoryUsage(Q);
      connection.ping();
      BrokerConnection.brokerOf(connection).cancellations().subscribe(id -> {}).close();

      List<String> others =
          warnings.lines().stream().filter(line -> !line.contains("saves nothing")).toList();
      assertThat(others).hasSize(1).first().asString().contains(warning);
    }
  }

  private static final class Ignored implements StoreWatch.Listener {
    @Override
    public void changed(QueueName queue, StoreWatch.QueuePart part) {}

    @Override
    public void lost() {}
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+client|tracking",
        "+client|id",
        "+subscribe",
        "&__redis__:invalidate",
        "+client"
      })
  void withoutPermissionForNotificationsQueuesArePolledAfterOneWarning(String missing) {
    String rules =
        Stream.of((NEEDED + " " + USEFUL).split(" "))
            .filter(rule -> !rule.equals(missing) && !rule.startsWith(missing + "|"))
            .collect(Collectors.joining(" "));
    try (CapturedWarnings warnings = new CapturedWarnings();
        RedisConnection connection = connectAs(rules)) {
      StoreWatch watches = BrokerConnection.brokerOf(connection).watches();
      enqueue(BrokerConnection.brokerOf(connection), "a");
      Set<StoreWatch.QueuePart> pending = Set.of(StoreWatch.QueuePart.PENDING);
      List<QueueName> queues = List.of(Q, QueueName.of("other"));
      for (int i = 0; i < 2; i++) {
        try (StoreWatch.Watch first = watches.watch(new Ignored());
            StoreWatch.Watch second = watches.watch(new Ignored())) {
          await().until(() -> !refusals(warnings).isEmpty());
          assertThat(first.arm(queues, pending)).containsExactly(Q);
          assertThat(second.arm(queues, pending)).containsExactly(Q);
          assertThat(first.isLive() || second.isLive()).isFalse();
        }
      }

      assertThat(refusals(warnings))
          .hasSize(1)
          .first()
          .asString()
          .contains("+client|tracking +client|id +subscribe &__redis__:invalidate");
      await().until(() -> RedisStoreWatchIT.threads() == 0);
    }
  }

  private static List<String> refusals(CapturedWarnings warnings) {
    return warnings.lines().stream()
        .filter(line -> line.contains("client tracking is not available"))
        .toList();
  }

  @Test
  void withoutTimeNothingIsOpened() {
    // The scripts take their time from Redis: there is nothing to fall back to.
    assertThat(
            catchThrowableOfType(
                BrokerRefusedException.class, () -> connectAs(NEEDED + " -time").close()))
        .hasMessageContainingAll("'time'", "docs/reference/redis-layout.md");
  }

  @Test
  void withNothingButWhatIsNeededItWorks() {
    try (RedisConnection connection = connectAs(NEEDED)) {
      doEverything(BrokerConnection.brokerOf(connection));
    }
  }

  @Test
  void whatIsMissingFromWhatIsNeededIsNamedInTheError() {
    try (RedisConnection connection = connectAs(NEEDED + " -lpush")) {
      BrokerRefusedException inScript =
          catchThrowableOfType(
              BrokerRefusedException.class,
              () -> enqueue(BrokerConnection.brokerOf(connection), "a"));
      assertThat(inScript).hasMessageContaining("docs/reference/redis-layout.md");
      assertThat(inScript.mayHaveBeenApplied()).as("a script fails in the middle").isTrue();
    }
    try (RedisConnection connection = connectAs(NEEDED + " -smembers")) {
      BrokerRefusedException plain =
          catchThrowableOfType(
              BrokerRefusedException.class,
              () -> BrokerConnection.brokerOf(connection).queues().names());
      assertThat(plain).hasMessageContainingAll("NOPERM", "docs/reference/redis-layout.md");
      assertThat(plain.mayHaveBeenApplied()).isFalse();
    }
  }

  @Test
  void aTaskThatMustNotBeReadStays() {
    try (RedisConnection admin = RedisConnection.open(server.config());
        RedisConnection reader = connectAs(NEEDED + " -hmget")) {
      enqueue(BrokerConnection.brokerOf(admin), "lost");
      BrokerConnection.brokerOf(admin).leases().claim(Q, 1, Duration.ofSeconds(1), QueueRules.NONE);
      enqueue(BrokerConnection.brokerOf(admin), "waiting");
      BrokerConnection.brokerOf(admin)
          .enqueueing()
          .enqueue(List.of(task("due", o -> o.processIn(Duration.ofMillis(1)))));
      Upkeep upkeep = BrokerConnection.brokerOf(reader).upkeep();
      await()
          .untilAsserted(
              () -> {
                refusedToRead(() -> upkeep.forward(Q, 10));
                refusedToRead(
                    () ->
                        upkeep.recover(
                            Q, 10, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT));
              });
      refusedToRead(
          () -> BrokerConnection.brokerOf(reader).leases().claim(Q, 10, LEASE, QueueRules.NONE));

      setUser(server.primaries().get(0), "worker", NEEDED);
      assertThat(upkeep.forward(Q, 10).moved()).isEqualTo(1);
      assertThat(upkeep.recover(Q, 10, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT))
          .extracting(Upkeep.Recovered::recovery)
          .containsExactly(CrashRules.Recovery.PENDING);
      assertThat(
              BrokerConnection.brokerOf(reader)
                  .leases()
                  .claim(Q, 10, LEASE, QueueRules.NONE)
                  .claims())
          .extracting(Claim::id)
          .containsExactlyInAnyOrder("lost", "waiting", "due");
    }
  }

  private static void refusedToRead(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(BrokerRefusedException.class)
        .hasMessageContaining("docs/reference/redis-layout.md");
  }

  @Test
  void missingPermissionForReplicasIsReportedBeforeATaskIsSent() {
    try (RedisConnection connection = connectAs(NEEDED);
        TaskClient client = TaskClient.create(connection)) {
      BrokerRefusedException refused =
          catchThrowableOfType(
              BrokerRefusedException.class,
              () -> client.durably(Durability.REPLICATED).enqueue(Task.of("t")));
      assertThat(refused)
          .hasMessageStartingWith("nothing was enqueued")
          .hasMessageContainingAll("NOPERM", "It needs the permission +wait");
      assertThat(BrokerConnection.brokerOf(connection).queues().names()).isEmpty();
      assertThat(client.enqueue(Task.of("t")).isEnqueued()).isTrue();
    }
  }

  @Test
  void nothingIsAskedForThatNoScriptAndNoClassRuns() throws IOException {
    Set<String> run = new TreeSet<>(List.of("eval", "evalsha", "ping"));
    for (Script script : Script.values()) {
      find(
          run,
          "(?:redis\\.p?call|call_once)\\((?!command,)([^,)]*)",
          new String(script.source(), StandardCharsets.UTF_8));
    }
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java/io/asynq4j"))) {
      for (Path source : sources.filter(Files::isRegularFile).toList()) {
        find(run, "Command\\.([A-Z]+)", Files.readString(source));
      }
    }
    run.removeAll(
        Set.of(
            "asking",
            "client",
            "cluster",
            "config",
            "info",
            "memory",
            "publish",
            "sentinel",
            "subscribe",
            "wait",
            "waitaof"));

    Set<String> permitted = new TreeSet<>();
    find(permitted, "\\+([a-z]+)", NEEDED);
    assertThat(run).isEqualTo(permitted);
  }

  private static void find(Set<String> into, String pattern, String text) {
    Pattern.compile(pattern)
        .matcher(text)
        .results()
        .flatMap(call -> Pattern.compile("\\b([A-Z]+|[a-z]+$)\\b").matcher(call.group(1)).results())
        .forEach(word -> into.add(word.group().toLowerCase(Locale.ROOT)));
  }
}
