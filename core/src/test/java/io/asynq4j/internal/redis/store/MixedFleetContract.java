package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.LEASE;
import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Presence.SchedulerEntry;
import io.asynq4j.internal.broker.Presence.Server;
import io.asynq4j.internal.broker.Presence.Worker;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.store.task.RedisUpkeep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/**
 * What Go processes on the same Redis count on: the rules of protocol 6.3, held against what is in
 * Redis after each of our operations.
 */
interface MixedFleetContract {

  BrokerFixture redis();

  /** Keys that the original has in a queue. */
  Pattern GO_KEY =
      Pattern.compile(
          "(pending|active|lease|scheduled|retry|archived|completed|paused|groups|aggregation_sets"
              + "|processed|failed|processed:\\d{4}-\\d\\d-\\d\\d|failed:\\d{4}-\\d\\d-\\d\\d"
              + "|g:.+|t:.+|unique:.+)");

  /** Where tasks are, except in groups. */
  Set<String> CONTAINERS =
      Set.of("pending", "active", "scheduled", "retry", "archived", "completed");

  /** One operation after the other, of every kind that writes; after each the rule must hold. */
  private void afterEachOperation(Consumer<Map<String, String>> rule) {
    for (Consumer<MixedFleetContract> operation : EVERY_OPERATION) {
      operation.accept(this);
      rule.accept(parsed());
    }
  }

  List<Consumer<MixedFleetContract>> EVERY_OPERATION =
      List.of(
          f -> f.redis().enqueue("a", "b", "c", "d", "e", "f", "g", "h"),
          f -> f.redis().enqueue(f.redis().task("u", o -> o.uniqueFor(Duration.ofMillis(90_500)))),
          f ->
              f.redis()
                  .enqueue(
                      f.redis().task("s1", o -> o.processIn(Duration.ofMillis(2_300))),
                      f.redis().task("s2", o -> o.processIn(Duration.ofMillis(2_300)).precise()),
                      f.redis().task("s3", o -> o.processIn(Duration.ofSeconds(9)).group("late"))),
          f ->
              f.redis()
                  .enqueue(
                      f.redis().task("g1", o -> o.group("g")),
                      f.redis().task("g2", o -> o.group("g"))),
          f -> f.redis().clock.advance(Duration.ofMillis(1_700)),
          f -> f.settle(claim -> new Settlement.Complete(claim, Payload.ofUtf8("ok"))),
          f -> f.settle(claim -> new Settlement.Retry(claim, millis(1_234), "no", true, false)),
          f -> f.settle(claim -> new Settlement.Retry(claim, millis(1_234), "no", true, true)),
          f -> f.settle(claim -> new Settlement.Archive(claim, "no")),
          f -> f.settle(claim -> new Settlement.Reschedule(claim, millis(777), false)),
          f -> f.settle(Settlement.Requeue::new),
          f -> f.settleOrdered(claim -> new Settlement.Retry(claim, millis(5), "no", true, false)),
          f -> f.redis().enqueue(f.redis().task("r", o -> o.retention(millis(100_500)))),
          f -> f.redis().source().extend(Q, f.redis().claim(2), LEASE),
          f -> f.redis().clock.advance(Duration.ofMillis(16_100)),
          f -> f.redis().recover(),
          f -> f.redis().claim(9),
          f -> f.redis().clock.advance(Duration.ofMillis(16_100)),
          f -> f.redis().recover(),
          f -> f.redis().upkeep().forward(Q, 100),
          f -> f.redis().claim(3),
          f -> f.redis().clock.advance(Duration.ofSeconds(16)),
          f -> f.giveUp(),
          f -> f.redis().aggregation().giveBack(f.takeGroup()),
          f -> f.redis().aggregation().finish(f.takeGroup(), f.redis().task("sum")),
          f -> f.redis().aggregation().sweep(Q, 10),
          f ->
              f.redis()
                  .actions()
                  .archive(Q, List.of("sum", "s1"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST)
                  .answers(),
          f -> f.redis().actions().run(Q, List.of("sum", "d")),
          f -> f.redis().taskEdits().updatePayload(Q, "sum", Payload.ofUtf8("new")),
          f -> f.redis().actions().delete(Q, List.of("s1")),
          f -> f.redis().enqueue(f.redis().task("k", o -> o.retention(Duration.ofSeconds(1)))),
          f -> f.completeAll(),
          f -> f.redis().clock.advance(Duration.ofSeconds(2)),
          f -> f.redis().upkeep().expire(Q, 10),
          f -> f.redis().upkeep().repair(Q),
          f -> f.redis().upkeep().trim(Q, 10, new ArchiveRules(1, Duration.ofDays(1), false)),
          f ->
              f.redis()
                  .queueControl()
                  .setLimits(
                      Q, new QueueLimits(OptionalInt.of(3), Optional.of(false), Optional.empty())),
          f -> f.redis().queueControl().pause(Q));

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  private void settle(Function<Claim, Settlement> settlement) {
    redis().settle(settlement.apply(redis().claimOne()));
  }

  private void settleOrdered(Function<Claim, Settlement> settlement) {
    redis().settle(settlement.apply(redis().claimOne()), new QueueRules(0, true));
  }

  private void giveUp() {
    CrashRules strict = new CrashRules(1, Duration.ZERO, Duration.ZERO);
    redis().upkeep().recover(Q, 9, strict, QueueRules.NONE, ArchiveRules.DEFAULT);
  }

  private AggregationSet takeGroup() {
    return redis().aggregation().aggregate(Q, "g", AggregationContract.AT_ONCE).orElseThrow();
  }

  private void completeAll() {
    for (Claim claim : redis().claim(200)) {
      redis().settle(new Settlement.Complete(claim, Payload.absent()));
    }
  }

  /** Everything in Redis: the text of each key's value by its name. */
  private Map<String, String> parsed() {
    Map<String, String> values = new TreeMap<>();
    redis()
        .world()
        .lines()
        .forEach(
            line -> {
              int colon = line.indexOf(": ");
              values.put(line.substring(0, colon), line.substring(colon + 2));
            });
    return values;
  }

  /** The members of a list, or the members of a sorted set with their scores. */
  private static Map<String, String> members(String value) {
    Map<String, String> members = new TreeMap<>();
    Pattern.compile("([^\\s\\[{,=]+)(?:=([^\\s,}]+))?")
        .matcher(value.replaceAll(" for \\d+s$", "").replaceAll("[\\]}]$", ""))
        .results()
        .forEach(m -> members.put(m.group(1), m.group(2) == null ? "" : m.group(2)));
    return members;
  }

  private static String field(String hash, String name) {
    return Pattern.compile("[{ ]" + name + "=([^,}]*)")
        .matcher(hash)
        .results()
        .map((MatchResult match) -> match.group(1))
        .findFirst()
        .orElse("");
  }

  private static boolean isGroup(String key) {
    return key.startsWith("g:");
  }

  /** For each task the keys of the containers that hold its id. */
  private static Map<String, List<String>> places(Map<String, String> world) {
    Map<String, List<String>> places = new TreeMap<>();
    world.forEach(
        (key, value) -> {
          if (CONTAINERS.contains(key) || isGroup(key)) {
            members(value)
                .keySet()
                .forEach(id -> places.computeIfAbsent(id, any -> new ArrayList<>()).add(key));
          }
        });
    return places;
  }

  private static void forEachTask(Map<String, String> world, BiConsumer<String, String> check) {
    world.forEach(
        (key, value) -> {
          if (key.startsWith("t:")) {
            check.accept(key.substring(2), value);
          }
        });
  }

  @Test
  default void rule01_theContainerOfATaskIsCalledLikeItsStateAndIsOfItsType() {
    Set<String> seen = new HashSet<>();
    afterEachOperation(
        world -> {
          Map<String, List<String>> places = places(world);
          boolean spent = world.containsKey("spent");
          forEachTask(
              world,
              (id, record) -> {
                String state = field(record, "state");
                seen.add(state);
                if (!state.equals("aggregating")) {
                  assertThat(places.get(id)).as(id).containsExactly(state);
                } else if (!spent) {
                  assertThat(places.get(id))
                      .as(id)
                      .hasSize(1)
                      .allMatch(MixedFleetContract::isGroup);
                }
              });
          world.forEach(
              (key, value) -> {
                if (CONTAINERS.contains(key)) {
                  boolean list = key.equals("pending") || key.equals("active");
                  assertThat(value).startsWith(list ? "[" : "{");
                }
              });
        });
    assertThat(seen).hasSize(TaskState.values().length);
  }

  @Test
  default void rule02_fixesQ20_aMessageNamesItsQueueAndTimesAreWholeSeconds() {
    afterEachOperation(
        world -> {
          forEachTask(
              world,
              (id, record) ->
                  assertThatCode(
                          () ->
                              MessageCodec.decode(
                                  ReplyParser.bytes(
                                      redis().raw(Command.HGET, RedisKeys.task(Q, id), "msg")),
                                  Q,
                                  id))
                      .doesNotThrowAnyException());
          for (String zset : List.of("scheduled", "retry", "archived", "completed")) {
            assertThat(members(world.getOrDefault(zset, "")).values())
                .allMatch(s -> s.matches("\\d+"));
          }
          world.forEach(
              (key, value) -> {
                if (isGroup(key)) {
                  assertThat(members(value).values()).allMatch(s -> s.matches("\\d+"));
                }
              });
        });
  }

  @Test
  default void rule03_whatIsActiveIsLeasedForLessThanGoWouldAndWhatIsLeasedIsActive() {
    afterEachOperation(
        world -> {
          Map<String, String> leases = members(world.getOrDefault("lease", ""));
          assertThat(leases.keySet()).isEqualTo(members(world.getOrDefault("active", "")).keySet());
          long latest = redis().clock.instant().getEpochSecond() + 30;
          assertThat(leases.values()).allMatch(score -> Double.parseDouble(score) < latest);
        });
  }

  @Test
  default void rule04_noTaskIsInTwoPlaces() {
    afterEachOperation(
        world ->
            places(world).forEach((id, places) -> assertThat(places).as(id + " is in").hasSize(1)));
  }

  @Test
  default void rule05_pendingIsPushedOnTheLeftTakenFromTheRightAndGivenBackThere() {
    redis().enqueue("a", "b");
    redis().seed(TaskState.RETRY, "c", T);
    redis().seed(TaskState.ARCHIVED, "d", T);
    redis().upkeep().forward(Q, 9);
    redis().actions().run(Q, List.of("d"));
    assertThat(redis().world()).contains("pending: [d, c, b, a]\n");

    Claim first = redis().claimOne();
    assertThat(first.id()).isEqualTo("a");
    assertThat(redis().world()).contains("pending: [d, c, b]\n");
    redis().claimOne();
    assertThat(redis().world()).contains("active: [b, a]\n");

    redis().settle(new Settlement.Requeue(first));
    assertThat(redis().world()).contains("pending: [d, c, a]\n");
  }

  @Test
  default void rule06_pendingSinceIsNanosecondsInPlainDigitsAndOnlyOfPendingTasks() {
    afterEachOperation(
        world ->
            forEachTask(
                world,
                (id, record) ->
                    assertThat(field(record, "pending_since"))
                        .matches(field(record, "state").equals("pending") ? "[1-9]\\d{18}" : "")));
  }

  @Test
  default void rule07_aLockHoldsTheIdOfItsTaskForWholeSeconds() {
    redis()
        .enqueue(
            redis().task("x", o -> o.uniqueFor(Duration.ofMillis(90_500))),
            redis().task("y", o -> o.uniqueFor(Duration.ofMillis(90_500))));

    // 91, of which the world shows the next ten.
    assertThat(parsed()).containsEntry(EnqueueContract.LOCK, "x for 100s");
    redis().raw(Command.SET, key(EnqueueContract.LOCK), "another");
    redis().actions().delete(Q, List.of("x"));
    assertThat(parsed()).containsEntry(EnqueueContract.LOCK, "another");
  }

  @Test
  default void rule07_noLockIsLeftByATaskThatIsGone() {
    afterEachOperation(
        world ->
            world.forEach(
                (key, value) -> {
                  if (key.startsWith("unique:")) {
                    assertThat(value).matches("\\S+ for \\d+s");
                    assertThat(world).containsKey("t:" + value.substring(0, value.indexOf(' ')));
                  }
                }));
  }

  @Test
  default void rule08_theQueueIsRegistered() {
    afterEachOperation(world -> assertThat(world).containsEntry("asynq:queues", "[q]"));
  }

  @Test
  default void rule09_registriesHoldWholeKeysUntilTheyExpire() {
    Server server = new Server("host", 7, "id", 1, Map.of("q", 1), false, "active", NOON, 1, null);
    Worker worker =
        new Worker("host", 7, "id", "a", "t", Payload.absent(), Q, NOON, NOON.plusSeconds(9));
    redis().presence().show(server, List.of(worker), millis(9_500));
    redis().presence().showEntries("sched", List.of(), millis(9_500));
    redis()
        .presence()
        .showEntries(
            "sched",
            List.of(
                new SchedulerEntry("e", "@daily", "t", Payload.absent(), List.of(), NOON, null)),
            millis(9_500));

    assertThat(registered(RedisKeys.SERVERS)).isEqualTo("asynq:servers:{host:7:id} " + (T + 9));
    assertThat(registered(RedisKeys.WORKERS)).isEqualTo("asynq:workers:{host:7:id} " + (T + 9));
    assertThat(registered(RedisKeys.SCHEDULERS)).isEqualTo("asynq:schedulers:{sched} " + (T + 9));
  }

  /** The one member of a registry, which is a key with a life of its own, and its score. */
  private String registered(String registry) {
    List<?> entry =
        ReplyParser.list(redis().raw(Command.ZRANGE, registry, "0", "-1", "WITHSCORES"));
    assertThat(entry).hasSize(2);
    String key = ReplyParser.text(entry.get(0));
    assertThat(ReplyParser.number(redis().raw(Command.TTL, key))).isBetween(9L, 10L);
    return key + " " + ReplyParser.text(entry.get(1));
  }

  @Test
  default void rule10_anOptionTextHasParentheses() {
    assertThatThrownBy(
            () ->
                new SchedulerEntry("e", "@daily", "t", Payload.absent(), List.of("no"), null, null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void rule11_whatIsWrittenIsValidText() throws Exception {
    redis().enqueue("a", "b");
    redis()
        .settle(
            new Settlement.Retry(redis().claimOne(), Duration.ZERO, "\udc00 \ud800", true, false));
    redis().settle(new Settlement.Archive(redis().claimOne(), "half \ud83d"));

    for (String id : List.of("a", "b")) {
      byte[] stored = ReplyParser.bytes(redis().raw(Command.HGET, RedisKeys.task(Q, id), "msg"));
      assertThat(MessageCodec.decode(stored, Q, id).lastError()).contains("?");
    }
  }

  @Test
  default void rule12_whatIsOursStaysNotForEverAndInTheSlotOfItsQueue() {
    Set<String> ours = new HashSet<>();
    afterEachOperation(
        world -> {
          ((RedisUpkeep) redis().upkeep())
              .scan(
                  Q,
                  "",
                  words ->
                      words.stream()
                          .filter(word -> !GO_KEY.matcher(word).matches())
                          .forEach(
                              word -> {
                                ours.add(word.replaceAll(":.*", ""));
                                long ttl = ReplyParser.number(redis().raw(Command.TTL, key(word)));
                                assertThat(ttl > 0 || word.equals("settings")).as(word).isTrue();
                              }));
          assertThat(world.keySet())
              .filteredOn(key -> key.startsWith("asynq:"))
              .containsOnly("asynq:queues");
        });
    assertThat(ours).containsExactlyInAnyOrder("lane", "spent", "settings");
  }

  @Test
  default void rule13_whatGoOwnsHoldsNothingButItsOwn() {
    afterEachOperation(
        world -> {
          Set<String> tasks = new HashSet<>();
          forEachTask(world, (id, record) -> tasks.add(id));
          assertThat(tasks).containsAll(places(world).keySet());
          assertThat(tasks).containsAll(members(world.getOrDefault("lease", "")).keySet());
          assertThat(members(world.getOrDefault("groups", "")).keySet()).isSubsetOf("g", "late");
          members(world.getOrDefault("aggregation_sets", ""))
              .keySet()
              .forEach(set -> assertThat(world).containsKey(set.replace("asynq:{q}:", "")));
        });
  }
}
