package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.internal.broker.Presence.SchedulerEntry;
import io.asynq4j.internal.broker.Presence.SchedulerEvent;
import io.asynq4j.internal.broker.Presence.Seen;
import io.asynq4j.internal.broker.Presence.Server;
import io.asynq4j.internal.broker.Presence.Worker;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.redis.codec.PresenceCodec;
import io.asynq4j.internal.redis.codec.wire.WireSchedulerEntry;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/**
 * Presence of servers and schedulers, cancellation and semaphores: requirements l05 to l09, q11 to
 * q13, i41, i45 and sm02 to sm08.
 */
interface PresenceContract {

  BrokerFixture redis();

  Duration TEN_SECONDS = Duration.ofSeconds(10);

  private static Server server(String id) {
    return new Server(
        "host", 7, id, 10, Map.of("q", 3, "low", 1), true, "active", NOON.plusNanos(5), 1, null);
  }

  private static Worker worker(String serverId, String taskId) {
    return new Worker(
        "host", 7, serverId, taskId, "t", Payload.ofUtf8("p"), Q, NOON, NOON.plusSeconds(30));
  }

  private static SchedulerEntry entry(String id) {
    return new SchedulerEntry(
        id, "@every 30s", "t", Payload.ofUtf8("p"), List.of("Queue(\"q\")"), NOON, null);
  }

  private List<Server> servers() {
    return redis().presence().seen(broken -> {}).stream().map(Seen::server).toList();
  }

  private long ttl(String key) {
    return ReplyParser.number(redis().raw(Command.TTL, key));
  }

  // ---- servers and workers ----

  @Test
  default void l05_aServerWithoutWorkersIsShownForAWhile() {
    redis().presence().show(server("one"), List.of(), TEN_SECONDS);

    assertThat(servers()).containsExactly(server("one"));
    assertThat(redis().presence().workers(broken -> {})).isEmpty();
    String serverKey = RedisKeys.server("host", 7, "one");
    String workersKey = RedisKeys.workers("host", 7, "one");
    assertThat(ttl(serverKey)).isBetween(9L, 10L);
    assertThat(redis().rawText(Command.ZSCORE, RedisKeys.SERVERS, serverKey))
        .isEqualTo("" + (T + 10));
    assertThat(redis().rawText(Command.ZSCORE, RedisKeys.WORKERS, workersKey))
        .isEqualTo("" + (T + 10));
    assertThat(redis().raw(Command.EXISTS, workersKey)).isEqualTo(0L);
  }

  @Test
  default void aServerThatShowsItselfTakesThoseThatAreGoneOffTheList() {
    redis().presence().show(server("gone"), List.of(), TEN_SECONDS);
    redis().clock.advance(TEN_SECONDS.plusSeconds(61));

    redis().presence().show(server("one"), List.of(), TEN_SECONDS);

    assertThat(ReplyParser.list(redis().raw(Command.ZRANGE, RedisKeys.SERVERS, "0", "-1")))
        .hasSize(1);
    assertThat(ReplyParser.list(redis().raw(Command.ZRANGE, RedisKeys.WORKERS, "0", "-1")))
        .hasSize(1);
  }

  @Test
  default void aServerWhoseClockIsBehindStaysOnTheList() {
    String behind = "asynq:servers:{behind:1:go}";
    redis().raw(Command.ZADD, RedisKeys.SERVERS, "" + (T - 60), behind);

    redis().presence().show(server("one"), List.of(), TEN_SECONDS);
    assertThat(servers()).containsExactly(server("one"));

    assertThat(redis().rawText(Command.ZSCORE, RedisKeys.SERVERS, behind)).isEqualTo("" + (T - 60));
  }

  @Test
  default void l06_i45_aServerIsShownWithWhatItsWorkersDoNow() {
    redis()
        .presence()
        .show(server("one"), List.of(worker("one", "a"), worker("one", "b")), TEN_SECONDS);
    redis().presence().show(server("two"), List.of(worker("two", "c")), TEN_SECONDS);
    redis()
        .presence()
        .show(server("one"), List.of(worker("one", "b"), worker("one", "d")), TEN_SECONDS);

    assertThat(servers()).containsExactlyInAnyOrder(server("one"), server("two"));
    assertThat(redis().presence().workers(broken -> {}))
        .containsExactlyInAnyOrder(worker("one", "b"), worker("one", "d"), worker("two", "c"));
    assertThat(ttl(RedisKeys.workers("host", 7, "one"))).isBetween(9L, 10L);
  }

  @Test
  default void manyWorkersAreShownTogetherAlthoughTheyAreWrittenInSeveralCalls() {
    List<Worker> many = IntStream.range(0, 450).mapToObj(i -> worker("one", "t" + i)).toList();
    redis().presence().show(server("one"), many, TEN_SECONDS);

    assertThat(redis().presence().workers(broken -> {})).containsExactlyInAnyOrderElementsOf(many);

    List<Worker> others = IntStream.range(400, 700).mapToObj(i -> worker("one", "t" + i)).toList();
    redis().presence().show(server("one"), others, TEN_SECONDS);

    assertThat(redis().presence().workers(broken -> {}))
        .containsExactlyInAnyOrderElementsOf(others);
    assertThat(ttl(RedisKeys.workers("host", 7, "one"))).isBetween(9L, 10L);
    assertThat(redis().raw(Command.EXISTS, RedisKeys.gatheredWorkers("host", 7, "one")))
        .isEqualTo(0L);
  }

  @Test
  default void workersThatAreHalfWrittenAreNotShownAndDoNotStay() {
    redis().presence().show(server("one"), List.of(worker("one", "a")), TEN_SECONDS);
    String[] keys = {
      RedisKeys.server("host", 7, "one"),
      RedisKeys.workers("host", 7, "one"),
      RedisKeys.gatheredWorkers("host", 7, "one")
    };
    CommandArgs args =
        new CommandArgs().add(10).add(PresenceCodec.encode(server("one"))).add("first");
    args.add("b").add(PresenceCodec.encode(worker("one", "b")));
    new ScriptRunner(redis().link, new TestTime(redis().clock))
        .run(Script.SERVER_STATE, keys, args);

    assertThat(redis().presence().workers(broken -> {})).containsExactly(worker("one", "a"));
    assertThat(ttl(RedisKeys.gatheredWorkers("host", 7, "one"))).isBetween(9L, 10L);
  }

  @Test
  default void theLastWorkersMayBeSentAgain() {
    List<Worker> many = IntStream.range(0, 250).mapToObj(i -> worker("one", "t" + i)).toList();
    redis().presence().show(server("one"), many, TEN_SECONDS);
    String[] keys = {
      RedisKeys.server("host", 7, "one"),
      RedisKeys.workers("host", 7, "one"),
      RedisKeys.gatheredWorkers("host", 7, "one")
    };
    CommandArgs args =
        new CommandArgs().add(10).add(PresenceCodec.encode(server("one"))).add("last");
    args.add("t249").add(PresenceCodec.encode(worker("one", "t249")));
    new ScriptRunner(redis().link, new TestTime(redis().clock))
        .run(Script.SERVER_STATE, keys, args);

    assertThat(redis().presence().workers(broken -> {})).containsExactlyInAnyOrderElementsOf(many);
  }

  @Test
  default void schedulersThatVanishedAreTakenOffTheList() {
    redis().raw(Command.ZADD, RedisKeys.SCHEDULERS, "" + (T - 61), "gone", "" + (T - 60), "late");

    redis().presence().forgetGoneSchedulers();

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:schedulers: {late=4102487940}
            """);
  }

  @Test
  default void l07_aServerThatHidesTakesOnlyItselfAway() {
    redis().presence().show(server("two"), List.of(worker("two", "c")), TEN_SECONDS);
    String before = redis().world();
    redis().presence().show(server("one"), List.of(worker("one", "a")), TEN_SECONDS);

    redis().presence().hide(server("one"));

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void listingOmitsServersWithoutAHeartbeat() {
    for (String registry : List.of(RedisKeys.SERVERS, RedisKeys.WORKERS, RedisKeys.SCHEDULERS)) {
      redis()
          .raw(Command.ZADD, registry, "" + (T - 60), "a", "" + (T - 61), "b", "" + (T + 1), "c");
    }

    assertThat(servers()).isEmpty();
    assertThat(redis().presence().workers(broken -> {})).isEmpty();
    assertThat(redis().presence().schedulerEntries(unreadable -> {})).isEmpty();

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:schedulers: {a=4102487940, c=4102488001}
            asynq:servers: {a=4102487940, c=4102488001}
            asynq:workers: {a=4102487940, c=4102488001}
            """);
  }

  @Test
  default void fixesQ23_aPartOfASecondIsAWholeOne() {
    redis().presence().show(server("one"), List.of(worker("one", "a")), Duration.ofMillis(700));
    redis().presence().showEntries("s", List.of(entry("e")), Duration.ofMillis(700));

    assertThat(servers()).hasSize(1);
    assertThat(redis().raw(Command.PTTL, RedisKeys.workers("host", 7, "one")))
        .asString()
        .matches("\\d+");
    assertThat(redis().raw(Command.PTTL, RedisKeys.scheduler("s"))).asString().matches("\\d+");
  }

  @Test
  default void whatCannotBeReadHidesNothingElse() {
    redis().presence().show(server("one"), List.of(worker("one", "a")), TEN_SECONDS);
    redis().presence().showEntries("s", List.of(entry("e")), TEN_SECONDS);
    redis().presence().recordEvent("e", new SchedulerEvent("a", NOON));
    String junk = "\u0001not a message";
    redis().raw(Command.ZADD, RedisKeys.SERVERS, "" + (T + 1), "asynq:servers:{junk}");
    redis().raw(Command.SET, "asynq:servers:{junk}", junk);
    redis().raw(Command.HSET, RedisKeys.workers("host", 7, "one"), "junk", junk, "empty", "");
    redis().raw(Command.LPUSH, RedisKeys.scheduler("s"), junk);
    redis().raw(Command.ZADD, RedisKeys.schedulerHistory("e"), "1", junk);

    assertThat(servers()).containsExactly(server("one"));
    assertThat(redis().presence().workers(broken -> {})).containsExactly(worker("one", "a"));
    assertThat(redis().presence().schedulerEntries(unreadable -> {})).containsExactly(entry("e"));
    assertThat(redis().presence().events("e", 0, 10))
        .satisfiesExactly(
            readable -> assertThat(readable).isEqualTo(new SchedulerEvent("a", NOON)),
            broken -> {
              assertThat(broken.taskId()).isEmpty();
              assertThat(broken.enqueuedAt()).isEqualTo(Instant.ofEpochSecond(1));
              assertThat(broken.problem()).isNotBlank();
            });
  }

  // ---- schedulers ----

  @Test
  default void q11_i41_entriesOfASchedulerAreShownReplacedAndHidden() {
    redis().presence().showEntries("s", List.of(entry("old")), Duration.ofSeconds(20));
    redis().presence().showEntries("s", List.of(entry("e1"), entry("e2")), Duration.ofSeconds(20));
    redis().presence().showEntries("other", List.of(entry("e3")), Duration.ofSeconds(20));

    assertThat(redis().presence().schedulerEntries(unreadable -> {}))
        .containsExactlyInAnyOrder(entry("e1"), entry("e2"), entry("e3"));
    assertThat(ttl(RedisKeys.scheduler("s"))).isBetween(19L, 20L);
    assertThat(redis().rawText(Command.ZSCORE, RedisKeys.SCHEDULERS, RedisKeys.scheduler("s")))
        .isEqualTo("" + (T + 20));

    redis().presence().hideEntries("s");

    assertThat(redis().presence().schedulerEntries(unreadable -> {})).containsExactly(entry("e3"));
    assertThat(redis().world()).doesNotContain("{s}");
  }

  @Test
  default void fixesQ25_aMissingTimeIsWrittenAsGosZeroTime() {
    SchedulerEntry v8 =
        new SchedulerEntry(
            "entry-1",
            "@every 30s",
            "reindex",
            Payload.ofUtf8("{}"),
            List.of("Queue(\"low\")", "MaxRetry(3)", "Timeout(1m30s)"),
            Instant.ofEpochSecond(1_700_000_030),
            null);

    redis().presence().showEntries("s", List.of(v8), TEN_SECONDS);

    byte[] stored = ReplyParser.bytes(redis().raw(Command.LINDEX, RedisKeys.scheduler("s"), "0"));
    assertThat(HexFormat.of().formatHex(stored))
        .isEqualTo(
            "0a07656e7472792d31120a406576657279203330731a077265696e64657822027b7d2a0c51756575652822"
                + "6c6f7722292a0b4d617852657472792833292a0e54696d656f757428316d333073293206089ee2cf"
                + "aa063a0b088092b8c398feffffff01");
  }

  @Test
  default void fixesQ22_anOptionTextThatWouldCrashAGoInspectorIsRefusedAndSkipped() {
    assertThatThrownBy(
            () ->
                new SchedulerEntry(
                    "e", "@daily", "t", Payload.absent(), List.of("Queue"), null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"Queue\"");
    redis().presence().showEntries("s", List.of(entry("e")), TEN_SECONDS);
    byte[] bad =
        WireSchedulerEntry.newBuilder()
            .setId("bad")
            .addEnqueueOptions("Queue")
            .build()
            .toByteArray();
    String key = RedisKeys.scheduler("s");
    redis().link.call(key, ResendPolicy.NEVER, Command.LPUSH, new CommandArgs().add(key).add(bad));

    assertThat(redis().presence().schedulerEntries(unreadable -> {})).containsExactly(entry("e"));
  }

  @Test
  default void q12_eventsAreListedNewestFirstInPages() {
    for (int i = 0; i < 5; i++) {
      redis().presence().recordEvent("e", new SchedulerEvent("t" + i, NOON.plusSeconds(i)));
    }

    assertThat(redis().presence().events("e", 0, 2))
        .extracting(SchedulerEvent::taskId)
        .containsExactly("t4", "t3");
    assertThat(redis().presence().events("e", 4, 2))
        .containsExactly(new SchedulerEvent("t0", NOON));
    assertThat(redis().presence().events("e", 5, 2)).isEmpty();
    assertThat(redis().presence().events("unknown", 0, 2)).isEmpty();
  }

  @Test
  default void q13_fixesQ28_theNewestThousandEventsAreKeptForNinetyDays() {
    String key = RedisKeys.schedulerHistory("e");
    CommandArgs thousand = new CommandArgs().add(key);
    for (int i = 0; i < 1_000; i++) {
      SchedulerEvent event = new SchedulerEvent("t" + i, NOON.plusSeconds(i));
      thousand.add(T + i).add(PresenceCodec.encode(event));
    }
    redis().link.call(key, ResendPolicy.NEVER, Command.ZADD, thousand);

    redis().presence().recordEvent("e", new SchedulerEvent("new", NOON.plusSeconds(1_000)));

    assertThat(redis().raw(Command.ZCARD, key)).isEqualTo(1_000L);
    assertThat(redis().presence().events("e", 0, 1))
        .extracting(SchedulerEvent::taskId)
        .containsExactly("new");
    assertThat(redis().presence().events("e", 999, 9))
        .extracting(SchedulerEvent::taskId)
        .containsExactly("t1");
    assertThat(ttl(key)).isBetween(7_775_990L, 7_776_000L);

    redis().raw(Command.DEL, key);
    assertThat(redis().world()).isEmpty();
  }

  // ---- cancellations ----

  @Test
  default void l08_aListenerReceivesCancellationsUntilItCloses() {
    Queue<String> received = new ConcurrentLinkedQueue<>();
    Subscription subscription =
        redis()
            .broker
            .cancellations()
            .subscribe(
                id -> {
                  received.add(id);
                  if (id.equals("bad")) {
                    throw new IllegalStateException("a listener that fails goes on listening");
                  }
                });

    redis().broker.cancellations().publish("a");
    redis().broker.cancellations().publish("bad");
    redis().broker.cancellations().publish("b");

    await().untilAsserted(() -> assertThat(received).containsExactly("a", "bad", "b"));
    subscription.close();
    redis().broker.cancellations().publish("nobody listens");
    assertThat(received).hasSize(3);
  }

  // ---- semaphores ----

  private boolean acquire(int tokens, String id, long seconds) {
    return redis().broker.semaphores().acquire("s", tokens, id, NOON.plusSeconds(seconds));
  }

  @Test
  default void sm02_sm03_thereAreAsManyTokensAsConfigured() {
    assertThat(acquire(3, "a", 100)).isTrue();
    assertThat(acquire(3, "b", 100)).isTrue();
    assertThat(acquire(3, "c", 100)).isTrue();
    assertThat(acquire(3, "d", 100)).isFalse();

    assertThat(redis().world())
        .isEqualTo("asynq:sema:s: {a=4102488100, b=4102488100, c=4102488100}\n");
  }

  @Test
  default void fixesQ27_sm06_aHolderKeepsItsTokenAndAnExpiredOneIsTaken() {
    assertThat(acquire(2, "a", 100)).isTrue();
    assertThat(acquire(2, "b", 100)).isTrue();
    assertThat(acquire(2, "a", 150)).isTrue();
    assertThat(acquire(2, "c", 150)).isFalse();
    redis().clock.set(NOON.plusSeconds(151));
    assertThat(acquire(2, "a", 200)).isTrue();
    assertThat(redis().world()).isEqualTo("asynq:sema:s: {a=4102488200}\n");

    redis().clock.set(NOON.plusSeconds(200));
    assertThat(acquire(1, "c", 300)).isFalse();
    redis().clock.set(NOON.plusSeconds(201));
    assertThat(acquire(1, "c", 300)).isTrue();
  }

  @Test
  default void sm07_sm08_aTokenIsGivenBackOnce() {
    acquire(2, "a", 100);
    acquire(2, "b", 100);

    assertThat(redis().broker.semaphores().release("s", "a")).isTrue();
    assertThat(redis().broker.semaphores().release("s", "a")).isFalse();
    assertThat(redis().broker.semaphores().release("s", "never")).isFalse();

    assertThat(redis().world()).isEqualTo("asynq:sema:s: {b=4102488100}\n");
    assertThat(acquire(2, "c", 100)).isTrue();
  }
}
