package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.ReplyParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/**
 * How settled tasks leave the list of active ones: when they are many, each is found by its place,
 * else by looking.
 */
interface ActiveListContract {

  int MANY = 2_400;

  /** Above this number, places are stored. */
  int FEW = 2_000;

  BrokerFixture redis();

  @Test
  default void ofFewActiveTasksThoseThatStayKeepTheirOrder() {
    Random random = new Random(11);
    List<Claim> claims = claim(400);

    while (!claims.isEmpty()) {
      int many = Math.min(1 + random.nextInt(30), claims.size());
      int spread = Math.min(many + random.nextInt(3) * random.nextInt(15), claims.size());
      int from =
          switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> claims.size() - spread;
            default -> random.nextInt(claims.size() - spread + 1);
          };
      List<Claim> part = new ArrayList<>(claims.subList(from, from + spread));
      Collections.shuffle(part, random);
      part = part.subList(0, many);
      complete(part);
      claims.removeAll(part);
      List<String> oldestLast = ids(claims);
      Collections.reverse(oldestLast);
      assertThat(active()).isEqualTo(oldestLast);
    }

    assertThat(redis().world()).doesNotContain("active:", "lease:", "place");
  }

  @Test
  default void anIdThatStandsTwiceInTheListLeavesItOnce() {
    List<Claim> claims = claim(6);
    String twice = claims.get(5).id();
    redis().raw(Command.RPUSH, key("active"), twice);

    complete(claims);

    assertThat(active()).containsExactly(twice);
  }

  @Test
  default void manyActiveTasksAreSettledInAnyOrder() {
    List<Claim> claims = claim(MANY);
    Collections.shuffle(claims, new Random(7));

    while (!claims.isEmpty()) {
      List<Claim> part = claims.subList(0, Math.min(70, claims.size()));
      complete(part);
      part.clear();
      assertActive(ids(claims));
      assertPlaces();
    }

    assertThat(redis().world()).doesNotContain("active:", "lease:", "departed:");
  }

  @Test
  default void theNewestOfManyAreSettledWithoutMovingAnother() {
    List<Claim> claims = claim(MANY);
    List<String> before = active();

    complete(claims.subList(claims.size() - 150, claims.size()));

    assertThat(active()).isEqualTo(before.subList(150, before.size()));
  }

  @Test
  default void everyWayOutLeavesTheOthersInTheirPlaces() {
    List<Claim> claims = claim(MANY);
    List<Settlement> settlements = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Claim claim = claims.remove(i * 11);
      settlements.add(
          switch (i % 5) {
            case 0 -> new Settlement.Retry(claim, Duration.ofMinutes(1), "no", true, false);
            case 1 -> new Settlement.Archive(claim, "never");
            case 2 -> new Settlement.Reschedule(claim, Duration.ofMinutes(1), false);
            case 3 -> new Settlement.Requeue(claim);
            default -> new Settlement.Drop(claim);
          });
    }

    assertThat(redis().source().settle(Q, settlements, QueueRules.NONE, ArchiveRules.DEFAULT))
        .containsOnly(SettleResult.APPLIED);

    assertActive(ids(claims));
    assertPlaces();
    for (Settlement settlement : settlements) {
      assertThat(redis().raw(Command.HGET, key("t:" + settlement.claim().id()), "place")).isNull();
    }
  }

  @Test
  default void anIdThatStandsForNothingGetsNoRecordWhenItMoves() {
    List<Claim> claims = claim(MANY);
    // The newest takes the place of one that leaves from the middle.
    Claim newest = claims.remove(MANY - 1);
    redis().raw(Command.DEL, key("t:" + newest.id()));

    complete(List.of(claims.remove(500)));

    assertThat(redis().raw(Command.EXISTS, key("t:" + newest.id()))).isEqualTo(0L);
    assertThat(active()).contains(newest.id());
  }

  @Test
  default void aTaskThatIsNotActiveAnyMoreGetsNoPlaceWhenItsIdMoves() {
    List<Claim> claims = claim(MANY);
    Claim newest = claims.remove(MANY - 1);
    String record = key("t:" + newest.id());
    redis().raw(Command.HDEL, record, "place");
    redis().raw(Command.HSET, record, "state", "retry");

    complete(List.of(claims.remove(500)));

    assertThat(redis().raw(Command.HGET, record, "place")).isNull();
    assertThat(active()).contains(newest.id());
  }

  @Test
  default void aKeyOfAnotherTypeInThePlaceOfARecordDoesNotStopASettlement() {
    List<Claim> claims = claim(MANY);
    for (Claim damaged : List.of(claims.get(0), claims.get(MANY - 1))) {
      redis().raw(Command.SET, key("t:" + damaged.id()), "of another type");
    }

    complete(List.of(claims.remove(500)));
    complete(List.of(claims.remove(claims.size() - 500)));

    assertActive(ids(claims));
    assertThat(redis().rawText(Command.GET, key("t:" + claims.get(0).id())))
        .isEqualTo("of another type");
  }

  @Test
  default void whatIsNoNumberOfDepartedTasksStopsNeitherClaimsNorSettlements() {
    List<Claim> claims = claim(MANY);
    redis().enqueue("one", "two", "three");
    redis().raw(Command.DEL, key("departed"));
    redis().raw(Command.RPUSH, key("departed"), "of another type");
    complete(List.of(claims.remove(0), claims.remove(700)));
    claims.addAll(redis().claim(1));
    for (String departed : List.of("text", "-1", "nan", "1e300", "0.5")) {
      redis().raw(Command.SET, key("departed"), departed);
      claims.addAll(redis().claim(1));
      complete(List.of(claims.remove(0), claims.remove(700)));
    }

    assertActive(ids(claims));
    assertThat(claims).extracting(Claim::id).contains("one", "two", "three");
  }

  /** In any order. Sorted first, since AssertJ compares each with each. */
  private void assertActive(Collection<String> expected) {
    assertThat(active().stream().sorted())
        .containsExactlyElementsOf(expected.stream().sorted().toList());
  }

  /** Go workers know nothing of places: they add at the head, and remove from anywhere. */
  @Test
  default void noTaskVanishesWhileGoWorkersUseTheSameList() {
    Random random = new Random(5);
    List<Claim> claims = claim(MANY);
    List<String> ofGo = new ArrayList<>();
    int taken = 0;
    for (int round = 0; round < 40; round++) {
      for (int i = random.nextInt(20); i > 0; i--) {
        String id = "go-" + taken++;
        redis().seed(TaskState.ACTIVE, id, BrokerFixture.T + 3600);
        ofGo.add(id);
      }
      for (int i = random.nextInt(15); i > 0 && !ofGo.isEmpty(); i--) {
        String id = ofGo.remove(random.nextInt(ofGo.size()));
        redis().raw(Command.LREM, key("active"), "0", id);
        redis().raw(Command.ZREM, key("lease"), id);
        redis().raw(Command.DEL, key("t:" + id));
      }
      redis().enqueue("new-" + round);
      claims.addAll(redis().claim(1));
      List<Claim> part = new ArrayList<>();
      for (int i = random.nextInt(12); i >= 0; i--) {
        part.add(claims.remove(random.nextInt(claims.size())));
      }
      complete(part);

      List<String> expected = ids(claims);
      expected.addAll(ofGo);
      assertActive(expected);
    }
  }

  @Test
  default void theOldestOfManyAreSettledWithoutMovingAnother() {
    List<Claim> claims = claim(MANY);
    List<String> before = active();

    complete(claims.subList(0, 150));

    assertThat(active()).isEqualTo(before.subList(0, before.size() - 150));
    assertPlaces();
  }

  @Test
  default void tasksAreFoundAlsoWhenAGoWorkerHasTakenSomethingOutBelowThem() {
    List<Claim> claims = claim(MANY);
    for (int i = 0; i < 3; i++) {
      Claim taken = claims.remove(100);
      redis().raw(Command.LREM, key("active"), "0", taken.id());
      redis().raw(Command.ZREM, key("lease"), taken.id());
    }

    List<Claim> part = claims.subList(300, 400);
    complete(part);
    part.clear();

    assertActive(ids(claims));
  }

  @Test
  default void theNewestOfManyAreFoundAlsoWhenAGoWorkerHasTakenSomethingOutBelowThem() {
    List<Claim> claims = claim(MANY);
    for (int i = 0; i < 3; i++) {
      Claim taken = claims.remove(100);
      redis().raw(Command.LREM, key("active"), "0", taken.id());
      redis().raw(Command.ZREM, key("lease"), taken.id());
    }

    List<Claim> part = new ArrayList<>();
    for (int i = claims.size() - 1; part.size() < 20; i -= 2) {
      part.add(claims.get(i));
    }
    complete(part);
    claims.removeAll(part);

    assertActive(ids(claims));
  }

  @Test
  default void aPlaceThatIsNoneIsLookedFor() {
    List<Claim> claims = claim(MANY);
    int i = 0;
    for (String place : List.of("1e300", "-7", "1.5", "inf", "nan", "text")) {
      redis().raw(Command.HSET, key("t:" + claims.get(i++).id()), "place", place);
    }

    List<Claim> part = claims.subList(0, i);
    complete(part);
    part.clear();

    assertActive(ids(claims));
  }

  @Test
  default void runningTasksThatVanishedFromTheListOfManyAreListedAgain() {
    List<Claim> claims = claim(MANY);
    for (int i : new int[] {0, 1_200, MANY - 1}) {
      redis().raw(Command.LREM, key("active"), "0", claims.get(i).id());
    }

    assertThat(redis().upkeep().repair(Q)).isEqualTo(3);

    assertActive(ids(claims));
    assertThat(redis().upkeep().repair(Q)).isZero();
    complete(claims);
    assertThat(redis().world()).doesNotContain("active:", "lease:", "departed:");
  }

  @Test
  default void workersThatVanishWithManyTasksLoseThemAll() {
    List<Claim> claims = claim(MANY);
    redis().clock.advance(Duration.ofMinutes(1));

    int recovered = 0;
    for (int i = 0; i < MANY / BatchSplitter.MAX; i++) {
      recovered += redis().recover().size();
    }

    assertThat(recovered).isEqualTo(claims.size());
    assertThat(redis().world()).doesNotContain("active:", "lease:", "departed:");
  }

  private List<Claim> claim(int count) {
    String[] ids = new String[count];
    for (int i = 0; i < count; i++) {
      ids[i] = "task-" + i;
    }
    redis().enqueue(ids);
    List<Claim> claims = new ArrayList<>();
    while (claims.size() < count) {
      claims.addAll(redis().claim(200));
    }
    return claims;
  }

  private void complete(List<Claim> claims) {
    List<Settlement.Complete> settlements =
        claims.stream().map(claim -> new Settlement.Complete(claim, Payload.absent())).toList();
    assertThat(redis().source().settle(Q, settlements, QueueRules.NONE, ArchiveRules.DEFAULT))
        .containsOnly(SettleResult.APPLIED);
  }

  private List<String> active() {
    return ReplyParser.list(redis().raw(Command.LRANGE, key("active"), "0", "-1")).stream()
        .map(ReplyParser::text)
        .toList();
  }

  private static List<String> ids(List<Claim> claims) {
    return new ArrayList<>(claims.stream().map(Claim::id).toList());
  }

  /** Each place that a record notes is where its task stands. */
  private void assertPlaces() {
    List<String> active = active();
    Object departed = redis().raw(Command.GET, key("departed"));
    int left = departed == null ? 0 : Integer.parseInt(ReplyParser.text(departed));
    if (active.size() > FEW) {
      int noted = 0;
      for (int i = 0; i < active.size(); i++) {
        Object place = redis().raw(Command.HGET, key("t:" + active.get(i)), "place");
        if (place != null) {
          assertThat(Integer.parseInt(ReplyParser.text(place)) - left).isEqualTo(active.size() - i);
          noted++;
        }
      }
      assertThat(noted).as("those that came when there were many").isPositive();
    }
  }
}
