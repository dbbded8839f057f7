package io.asynq4j.faults;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/** The other queues of a server whose Redis user may not access one of them. */
class ForbiddenQueueIT {

  @RegisterExtension private static final ServerFixture world = new ServerFixture();

  private final Set<String> handled = ConcurrentHashMap.newKeySet();

  private static void allow(String... keys) {
    try (Jedis jedis = world.jedis()) {
      String[] rules = {"on", ">secret", "resetkeys", "allchannels", "+@all"};
      jedis.aclSetUser("limited", rules);
      jedis.aclSetUser("limited", keys);
    }
  }

  private static RedisConnection connect() {
    return RedisConnection.open(
        RedisConfig.builder()
            .standalone(world.server.host(), world.server.port())
            .username("limited")
            .password("secret")
            .build());
  }

  @Test
  void aQueueThatIsForbiddenStopsNoOtherAndIsServedOnceItIsAllowed() {
    String[] some = {"~asynq:{a}:*", "~asynq:{c}:*", "~asynq:[a-z]*"};
    allow(some);
    for (String queue : new String[] {"a", "b", "c"}) {
      world.enqueue("now-" + queue, options -> options.queue(queue));
      world.enqueue(
          "later-" + queue, options -> options.queue(queue).processIn(Duration.ofSeconds(1)));
    }
    try (CapturedLogs logs = new CapturedLogs();
        RedisConnection limited = connect();
        TaskServer server =
            ServerFixture.quick(
                    limited,
                    (task, context) -> {
                      handled.add(context.id());
                      return Outcome.done();
                    })
                .queue("a", 1)
                .queue("b", 1)
                .queue("c", 1)
                .build()) {
      server.start();

      soon(() -> assertThat(handled).contains("now-a", "now-c", "later-a", "later-c"));
      assertThat(handled).doesNotContain("now-b", "later-b");
      assertThat(logs.linesWith("queue b is not served")).hasSize(1);
      assertThat(logs.linesWith("could not claim")).isEmpty();

      allow("~*");
      soon(() -> assertThat(handled).contains("now-b", "later-b"));
    }
  }

  @Test
  void aQueueWhoseTasksCannotBeSettledStopsNoOther() {
    // More than the maximum of unsettled tasks of a server.
    int many = 1_300;
    allow("~asynq:{a}:*", "~asynq:{b}:[^c]*", "~asynq:[a-z]*");
    Queue<String> attempts = new ConcurrentLinkedQueue<>();
    world.enqueueMany("b", many, options -> options.queue("b").retention(Duration.ofHours(1)));
    try (CapturedLogs logs = new CapturedLogs();
        RedisConnection limited = connect();
        TaskServer server =
            ServerFixture.quick(
                    limited,
                    (task, context) -> {
                      attempts.add(context.id());
                      return Outcome.done();
                    })
                .queue("a", 1)
                .queue("b", 1)
                .build()) {
      server.start();
      soon(() -> assertThat(logs.linesWith("could not settle")).isNotEmpty());

      for (int i = 0; i < 20; i++) {
        String id = "a" + i;
        world.enqueue(id, options -> options.queue("a"));
        soon(() -> assertThat(attempts).contains(id));
      }
      assertThat(attempts).filteredOn(id -> id.startsWith("b")).hasSizeLessThan(many / 2);

      allow("~*");
      soon(() -> assertThat(world.ids(QueueName.of("b"), TaskState.COMPLETED)).hasSize(many));
      assertThat(attempts).filteredOn(id -> id.startsWith("b")).doesNotHaveDuplicates();
    }
  }
}
