package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.broker.Presence.Worker;
import io.asynq4j.handler.Outcome;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/** What a server shows of itself, and what it does about others that have vanished. */
class PresenceIT {

  @RegisterExtension private static final ServerFixture world = new ServerFixture();

  @Test
  void aServerShowsSmallPayloadsAndLeavesOutLargeOnes() {
    CountDownLatch release = new CountDownLatch(1);
    Payload small = Payload.of(new byte[1024]);
    world.enqueue(Task.of("t", small), "small");
    world.enqueue(Task.of("t", Payload.of(new byte[1025])), "large");
    world.start(
        world.quick(
            (task, context) -> {
              release.await();
              return Outcome.done();
            }));

    soon(
        () ->
            assertThat(world.broker().presence().workers())
                .extracting(Worker::taskId)
                .containsExactlyInAnyOrder("small", "large"));
    List<Worker> workers = world.broker().presence().workers();

    assertThat(workers)
        .allSatisfy(
            worker ->
                assertThat(worker.taskPayload().size())
                    .isEqualTo(worker.taskId().equals("small") ? 1024 : 0));
    release.countDown();
  }

  @Test
  void aLiveServerTakesThoseWhoWereKilledOffTheLists() {
    List<String> lists = List.of("asynq:servers", "asynq:workers", "asynq:schedulers");
    try (Jedis jedis = world.jedis()) {
      lists.forEach(list -> jedis.zadd(list, 1_000, "killed"));
      world.start(world.quick((task, context) -> Outcome.done()));

      soon(() -> lists.forEach(list -> assertThat(jedis.zscore(list, "killed")).isNull()));
      soon(() -> assertThat(jedis.zcard("asynq:servers")).isEqualTo(1));
    }
  }
}
