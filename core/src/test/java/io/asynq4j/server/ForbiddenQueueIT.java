package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/** What becomes of the other queues of a server when its user must not touch one of them. */
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

  @Test
  void aQueueThatIsForbiddenStopsNoOtherAndIsServedOnceItIsAllowed() {
    String[] some = {"~asynq:{a}:*", "~asynq:{c}:*", "~asynq:[a-z]*"};
    allow(some);
    RedisConfig config =
        RedisConfig.builder()
            .standalone(world.server.host(), world.server.port())
            .username("limited")
            .password("secret")
            .build();
    for (String queue : new String[] {"a", "b", "c"}) {
      world.enqueue("now-" + queue, options -> options.queue(queue));
      world.enqueue(
          "later-" + queue, options -> options.queue(queue).processIn(Duration.ofSeconds(1)));
    }
    try (Logs logs = new Logs();
        RedisConnection limited = RedisConnection.open(config);
        TaskServer server =
            ServerFixture.quick(
                    limited,
                    (task, context) -> {
                      handled.add(context.id());
                      return Outcome.done();
                    })
                .queues(Map.of("a", 1, "b", 1, "c", 1))
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
}
