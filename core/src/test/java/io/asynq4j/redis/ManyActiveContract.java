package io.asynq4j.redis;

import static io.asynq4j.redis.BrokerFixture.Q;
import static io.asynq4j.redis.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.broker.ArchiveRules;
import io.asynq4j.broker.Claim;
import io.asynq4j.broker.QueueRules;
import io.asynq4j.broker.Settled;
import io.asynq4j.broker.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Settling when so many tasks are active that each is found by its place in the list. */
interface ManyActiveContract {

  int MANY = 1_200;

  BrokerFixture redis();

  @Test
  default void manyActiveTasksAreSettledInAnyOrder() {
    List<Claim> claims = claimMany();
    Collections.shuffle(claims, new Random(7));

    while (!claims.isEmpty()) {
      List<Claim> part = claims.subList(0, Math.min(70, claims.size()));
      complete(part);
      part.clear();
      assertThat(active()).containsExactlyInAnyOrderElementsOf(ids(claims));
      assertPlaces();
    }

    assertThat(redis().world()).doesNotContain("active:", "lease:", "departed:");
  }

  @Test
  default void theNewestOfManyAreSettledWithoutMovingAnother() {
    List<Claim> claims = claimMany();
    List<String> before = active();

    complete(claims.subList(claims.size() - 150, claims.size()));

    assertThat(active()).isEqualTo(before.subList(150, before.size()));
  }

  @Test
  default void everyWayOutLeavesTheOthersInTheirPlaces() {
    List<Claim> claims = claimMany();
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
        .containsOnly(Settled.DONE);

    assertThat(active()).containsExactlyInAnyOrderElementsOf(ids(claims));
    assertPlaces();
    for (Settlement settlement : settlements) {
      assertThat(redis().raw(Command.HGET, key("t:" + settlement.claim().id()), "place")).isNull();
    }
  }

  @Test
  default void anIdThatStandsForNothingGetsNoRecordWhenItMoves() {
    List<Claim> claims = claimMany();
    Claim oldest = claims.remove(0);
    redis().raw(Command.DEL, key("t:" + oldest.id()));

    complete(List.of(claims.remove(500)));

    assertThat(redis().raw(Command.EXISTS, key("t:" + oldest.id()))).isEqualTo(0L);
    assertThat(active()).contains(oldest.id());
  }

  @Test
  default void theOldestOfManyAreSettledWithoutMovingAnother() {
    List<Claim> claims = claimMany();
    List<String> before = active();

    complete(claims.subList(0, 150));

    assertThat(active()).isEqualTo(before.subList(0, before.size() - 150));
    assertPlaces();
  }

  @Test
  default void tasksAreFoundAlsoWhenAGoWorkerHasTakenSomethingOutBelowThem() {
    List<Claim> claims = claimMany();
    for (int i = 0; i < 3; i++) {
      Claim taken = claims.remove(100);
      redis().raw(Command.LREM, key("active"), "0", taken.id());
      redis().raw(Command.ZREM, key("lease"), taken.id());
    }

    List<Claim> part = claims.subList(300, 400);
    complete(part);
    part.clear();

    assertThat(active()).containsExactlyInAnyOrderElementsOf(ids(claims));
  }

  @Test
  default void workersThatVanishWithManyTasksLoseThemAll() {
    List<Claim> claims = claimMany();
    redis().clock.advance(Duration.ofMinutes(1));

    int recovered = 0;
    for (int i = 0; i < MANY / Batches.MAX; i++) {
      recovered += redis().recover().size();
    }

    assertThat(recovered).isEqualTo(claims.size());
    assertThat(redis().world()).doesNotContain("active:", "lease:", "departed:");
  }

  private List<Claim> claimMany() {
    String[] ids = new String[MANY];
    for (int i = 0; i < MANY; i++) {
      ids[i] = "task-" + i;
    }
    redis().enqueue(ids);
    List<Claim> claims = new ArrayList<>();
    while (claims.size() < MANY) {
      claims.addAll(redis().claim(200));
    }
    return claims;
  }

  private void complete(List<Claim> claims) {
    List<Settlement.Complete> settlements =
        claims.stream().map(claim -> new Settlement.Complete(claim, Payload.absent())).toList();
    assertThat(redis().source().settle(Q, settlements, QueueRules.NONE, ArchiveRules.DEFAULT))
        .containsOnly(Settled.DONE);
  }

  private List<String> active() {
    return Reply.list(redis().raw(Command.LRANGE, key("active"), "0", "-1")).stream()
        .map(Reply::text)
        .toList();
  }

  private static List<String> ids(List<Claim> claims) {
    return claims.stream().map(Claim::id).toList();
  }

  /** Each place that a record notes is where its task stands. */
  private void assertPlaces() {
    List<String> active = active();
    Object departed = redis().raw(Command.GET, key("departed"));
    int left = departed == null ? 0 : Integer.parseInt(Reply.text(departed));
    if (active.size() > 500) {
      int noted = 0;
      for (int i = 0; i < active.size(); i++) {
        Object place = redis().raw(Command.HGET, key("t:" + active.get(i)), "place");
        if (place != null) {
          assertThat(Integer.parseInt(Reply.text(place)) - left).isEqualTo(active.size() - i);
          noted++;
        }
      }
      assertThat(noted).as("those that came when there were many").isPositive();
    }
  }
}
