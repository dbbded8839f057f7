package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.Q;
import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.Presence.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/** Presence of a server, and recovery of tasks of crashed servers. */
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
            assertThat(world.broker().presence().workers(broken -> {}))
                .extracting(Worker::taskId)
                .containsExactlyInAnyOrder("small", "large"));
    List<Worker> workers = world.broker().presence().workers(broken -> {});

    assertThat(workers)
        .allSatisfy(
            worker ->
                assertThat(worker.taskPayload().size())
                    .isEqualTo(worker.taskId().equals("small") ? 1024 : 0));
    release.countDown();
  }

  @Test
  void manyWorkersAreWrittenInSeveralShortCalls() {
    Presence.Server server =
        new Presence.Server(
            "host", 7, "one", 450, Map.of("q", 1), false, "active", null, 450, null);
    List<Worker> workers =
        IntStream.range(0, 450)
            .mapToObj(
                i -> new Worker("host", 7, "one", "t" + i, "t", Payload.absent(), Q, null, null))
            .toList();
    try (Jedis jedis = world.jedis()) {
      jedis.configResetStat();
      world.broker().presence().show(server, workers, Duration.ofSeconds(10));

      // Each call of the script sets the record of the server once.
      assertThat(calls(jedis.info("commandstats"), "set"))
          .as("calls that write workers, 200 in each at most")
          .isEqualTo(3);
    }
  }

  @Test
  void aRowThatCannotBeReadIsWarnedOfOnce() {
    String key = "asynq:servers:{host:7:one}";
    try (Jedis jedis = world.jedis();
        CapturedLogs logs = new CapturedLogs()) {
      jedis.zadd("asynq:servers", 4e9, key);
      jedis.set(key, "\u0001not a server");
      for (int i = 0; i < 3; i++) {
        assertThat(world.broker().presence().seen(broken -> {})).isEmpty();
      }

      assertThat(logs.linesWith("cannot read a row of " + key)).hasSize(1);
    }
  }

  private static int calls(String stats, String command) {
    Matcher found = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)").matcher(stats);
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  @Test
  void aLiveServerRemovesKilledServersFromTheLists() {
    List<String> lists = List.of("asynq:servers", "asynq:workers", "asynq:schedulers");
    try (Jedis jedis = world.jedis()) {
      lists.forEach(list -> jedis.zadd(list, 1_000, "killed"));
      world.start(world.quick((task, context) -> Outcome.done()));

      soon(() -> lists.forEach(list -> assertThat(jedis.zscore(list, "killed")).isNull()));
      soon(() -> assertThat(jedis.zcard("asynq:servers")).isEqualTo(1));
    }
  }
}
