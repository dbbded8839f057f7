package io.asynq4j.internal.redis.store.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.faults.FaultProxy;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.CapturedWarnings;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.redis.RedisConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Protocol.Command;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class RedisCancellationChannelIT {

  private TestRedis server;
  private FaultProxy proxy;
  private BrokerFixture direct;
  private RedisCommandExecutor link;
  private CancellationChannel cancellations;
  private final List<String> received = new CopyOnWriteArrayList<>();

  @BeforeAll
  void start() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @BeforeEach
  void connect() {
    EmbeddedRedis redis = server.primaries().get(0);
    proxy = new FaultProxy(redis.port());
    direct = new BrokerFixture(server);
    link =
        BrokerFixture.link(
            RedisConfig.builder()
                .standalone("127.0.0.1", proxy.port())
                .commandTimeout(Duration.ofMillis(500))
                .retryFor(Duration.ZERO)
                .build());
    cancellations = new RedisPubSub(link);
    received.clear();
  }

  @AfterEach
  void disconnect() {
    link.close();
    proxy.close();
    direct.close();
  }

  private void publish(String id) {
    direct.broker.cancellations().publish(id);
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("asynq-cancellations"))
        .count();
  }

  private int clients() {
    return (int)
        ReplyParser.text(
                direct.link.call(
                    0, ResendPolicy.SAFE, Command.CLIENT, new CommandArgs().add("LIST")))
            .lines()
            .count();
  }

  @Test
  void l08_publishedCancellationsAreReceived() {
    try (Subscription subscription = cancellations.subscribe(received::add)) {
      assertThat(subscription).isNotNull();
      cancellations.publish("a");
      publish("b");

      await().until(() -> received.equals(List.of("a", "b")));
    }
  }

  @Test
  void l09_aSubscriptionThatFailsIsAnErrorAndLeavesNothingBehind() {
    int before = clients();
    proxy.refuse();

    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> cancellations.subscribe(received::add))
        .withMessageContaining("cannot connect")
        .matches(e -> !e.mayHaveBeenApplied());

    await().until(() -> threads() == 0);
    assertThat(clients()).isEqualTo(before);
  }

  @Test
  void l09_aSubscriptionWhoseAnswerIsLostIsAnErrorAndLeavesNothingBehind() {
    int before = clients();
    proxy.next("SUBSCRIBE", FaultProxy.Fault.CUT_AFTER);

    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> cancellations.subscribe(received::add));

    await().until(() -> threads() == 0 && clients() == before);
  }

  @Test
  void subscribesAgainAfterItsConnectionWasKilledAndLogsItOnce() {
    try (CapturedWarnings warnings = new CapturedWarnings();
        Subscription subscription = cancellations.subscribe(received::add)) {
      assertThat(subscription).isNotNull();
      proxy.refuse();
      // Long enough for several failed attempts, which must not be logged each time.
      await().pollDelay(Duration.ofMillis(1200)).until(() -> true);
      proxy.acceptAgain();

      await()
          .until(
              () -> {
                publish("x");
                return received.contains("x");
              });
      assertThat(warnings.lines()).hasSize(1).first().asString().contains("subscribing again");
    }
  }

  @Test
  void aListenerThatFailsHearsTheNextOneAllTheSame() {
    try (Subscription subscription =
        cancellations.subscribe(
            id -> {
              received.add(id);
              throw new IllegalStateException("on purpose");
            })) {
      assertThat(subscription).isNotNull();
      publish("a");
      publish("b");

      await().until(() -> received.equals(List.of("a", "b")));
    }
  }

  @Test
  void closeEndsTheThreadAndTheConnection() {
    int before = clients();
    Subscription subscription = cancellations.subscribe(received::add);
    assertThat(threads()).isEqualTo(1);

    subscription.close();
    subscription.close();

    await().until(() -> threads() == 0 && clients() == before);
    publish("late");
    assertThat(received).isEmpty();
  }

  @Test
  void closeEndsASubscriptionThatIsBeingMadeAgain() {
    Subscription subscription = cancellations.subscribe(received::add);
    proxy.refuse();

    subscription.close();

    await().until(() -> threads() == 0);
  }
}
