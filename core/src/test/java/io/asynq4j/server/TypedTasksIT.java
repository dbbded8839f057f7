package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.ResultTaskType;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.client.TaskFailedException;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.TypeRef;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueInspector;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Inputs, results and retry policies by type, and the codec of the connection. */
@TestInstance(Lifecycle.PER_CLASS)
class TypedTasksIT {

  private record Order(int id) {}

  private static final Duration WAIT = Duration.ofSeconds(20);

  private static final ResultTaskType<List<Order>, Integer> COUNT =
      TaskType.of("count", new TypeRef<List<Order>>() {})
          .with(o -> o.retention(Duration.ofHours(1)))
          .returning(Integer.class);

  /** JSON with a mark in front, which JSON alone cannot read. */
  private static final PayloadCodec MARKED =
      new PayloadCodec() {
        @Override
        public Payload encode(Object value) {
          return Payload.ofUtf8("#" + PayloadCodec.json().encode(value).utf8());
        }

        @Override
        public Object decode(Payload payload, Type type) {
          return PayloadCodec.json().decode(Payload.ofUtf8(payload.utf8().substring(1)), type);
        }
      };

  private EmbeddedRedis embedded;

  @BeforeAll
  void startRedis() {
    embedded = EmbeddedRedis.builder().ephemeral().start();
  }

  @AfterAll
  void stopRedis() {
    embedded.close();
  }

  @Test
  void theCodecOfTheConnectionIsUsedEverywhere() throws Exception {
    RedisConfig config = RedisConfig.parse(embedded.uri()).toBuilder().codec(MARKED).build();
    Mux handlers = Mux.builder().compute(COUNT, (orders, context) -> orders.size()).build();
    try (RedisConnection redis = RedisConnection.open(config);
        TaskClient client = TaskClient.create(redis);
        TaskServer server = TaskServer.start(redis, handlers)) {
      TaskInfo task = client.enqueue(COUNT, List.of(new Order(1), new Order(2))).orThrow();

      assertThat(client.awaitResult(COUNT, task, WAIT)).isEqualTo(2);
      assertThat(task.payload().utf8()).isEqualTo("#[{\"id\":1},{\"id\":2}]");
      assertThat(client.awaitResult(task, WAIT).orElseThrow().result().utf8()).isEqualTo("#2");
      assertThat(server.running()).isNotNegative();
      try (Scheduler scheduler =
          Scheduler.builder(redis)
              .add("e", Schedule.of("@daily"), COUNT, List.of(new Order(3)))
              .build()) {
        assertThat(scheduler.entries().get(0).task().payload().utf8()).isEqualTo("#[{\"id\":3}]");
      }
    }
  }

  @Test
  void aTaskThatCannotBeDecodedForLackOfALibraryIsRetried() throws Exception {
    PayloadCodec withoutLibrary =
        new PayloadCodec() {
          @Override
          public Payload encode(Object value) {
            return PayloadCodec.json().encode(value);
          }

          @Override
          public Object decode(Payload payload, Type type) {
            throw new NoClassDefFoundError("add a JSON library");
          }
        };
    Mux handlers = Mux.builder().compute(COUNT, (orders, context) -> orders.size()).build();
    try (RedisConnection redis = RedisConnection.open(embedded.uri());
        TaskClient client = TaskClient.create(redis);
        TaskServer server =
            TaskServer.builder(redis)
                .queue("no-library")
                .codec(withoutLibrary)
                .handlers(handlers)
                .build()) {
      TaskInfo task =
          client.enqueue(COUNT, List.of(new Order(1)), o -> o.queue("no-library")).orThrow();
      QueueInspector queue = Inspector.create(redis).queue("no-library");
      server.start();

      await().until(() -> queue.task(task.id()).state() == TaskState.RETRY);
      assertThat(queue.task(task.id()).lastError()).contains("add a JSON library");
      assertThat(server.state()).isEqualTo(ServerState.ACTIVE);
    }
  }

  @Test
  void leasesUseTheCodecOfTheConnectionToo() throws Exception {
    RedisConfig config = RedisConfig.parse(embedded.uri()).toBuilder().codec(MARKED).build();
    try (RedisConnection redis = RedisConnection.open(config);
        TaskClient client = TaskClient.create(redis)) {
      TaskInfo task =
          client.enqueue(COUNT, List.of(new Order(1)), o -> o.queue("leased")).orThrow();
      TaskLeases leases = TaskLeases.create(redis);

      leases.settle(leases.claim("leased", 1, WAIT).get(0), Outcome.done(7));

      assertThat(client.awaitResult(COUNT, task, WAIT)).isEqualTo(7);
      TaskInfo other =
          client.enqueue(COUNT, List.of(new Order(1)), o -> o.queue("leased")).orThrow();
      TaskLeases plain = TaskLeases.builder(redis).codec(PayloadCodec.json()).build();
      plain.settle(plain.claim("leased", 1, WAIT).get(0), Outcome.done(7));
      assertThat(client.awaitResult(other, WAIT).orElseThrow().result().utf8()).isEqualTo("7");
    }
  }

  @Test
  void aTaskThatFailsOrTakesTooLongHasNoResult() throws Exception {
    TaskType<Void> type = TaskType.of("fails").with(o -> o.maxRetry(0));
    ResultTaskType<Void, String> fails = type.returning(String.class);
    try (RedisConnection redis = RedisConnection.open(embedded.uri());
        TaskClient client = TaskClient.create(redis)) {
      TaskInfo task = client.enqueue(fails).orThrow();
      assertThatThrownBy(() -> client.awaitResult(fails, task, Duration.ofMillis(50)))
          .isInstanceOf(TimeoutException.class)
          .hasMessageContaining(task.id());
      Mux handlers =
          Mux.builder()
              .compute(
                  fails,
                  (nothing, context) -> {
                    throw new IllegalStateException("on purpose");
                  })
              .build();
      try (TaskServer server = TaskServer.start(redis, handlers)) {
        assertThatThrownBy(() -> client.awaitResult(fails, task, WAIT))
            .isInstanceOf(TaskFailedException.class)
            .hasMessageContaining("on purpose");
        assertThat(server.state()).isEqualTo(ServerState.ACTIVE);
      }
    }
  }

  @Test
  void thePolicyOfATypeIsUsedUnlessTheServerHasOneForIt() {
    RetryPolicy ofType = RetryPolicy.fixed(Duration.ofSeconds(1));
    RetryPolicy ofServer = RetryPolicy.fixed(Duration.ofSeconds(2));
    TaskType<Void> type = TaskType.of("t").retryPolicy(ofType);
    Mux handlers = Mux.builder().run(type, (nothing, context) -> {}).build();
    try (RedisConnection redis = RedisConnection.lazy(embedded.uri())) {
      TaskServerBuilder server = TaskServer.builder(redis).handlers(handlers).retryPolicy(ofServer);

      assertThat(server.config().retryPolicyOf("t")).isSameAs(ofType);
      assertThat(server.config().retryPolicyOf("other")).isSameAs(ofServer);
      assertThat(server.retryPolicy(type, ofServer).config().retryPolicyOf("t")).isSameAs(ofServer);
    }
  }
}
