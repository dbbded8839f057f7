package io.asynq4j.internal.redis.watch;

import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.internal.redis.watch.RedisStoreWatchIT.PENDING;
import static io.asynq4j.internal.redis.watch.RedisStoreWatchIT.soon;
import static io.asynq4j.internal.redis.watch.RedisStoreWatchIT.threads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.faults.FaultProxy;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.StoreWatch.Watch;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.watch.RedisStoreWatchIT.RecordedChanges;
import io.asynq4j.redis.RedisConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Protocol.Command;

/** Watching a Redis that is unavailable, returns, or does not respond. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class RedisStoreWatchFaultsIT {

  private TestRedis server;
  private EmbeddedRedis redis;
  private FaultProxy proxy;
  private BrokerFixture direct;
  private RedisCommandExecutor link;
  private final RecordedChanges recorded = new RecordedChanges();
  private final List<Watch> watches = new ArrayList<>();

  @BeforeAll
  void start() {
    server = TestRedis.standalone();
    redis = server.primaries().get(0);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @BeforeEach
  void connect() {
    direct = new BrokerFixture(server);
    proxy = new FaultProxy(redis.port());
    link =
        BrokerFixture.link(
            RedisConfig.builder()
                .standalone("127.0.0.1", proxy.port())
                .commandTimeout(Duration.ofMillis(300))
                .retryFor(Duration.ZERO)
                .build());
    recorded.clear();
  }

  @AfterEach
  void disconnect() {
    watches.forEach(Watch::close);
    watches.clear();
    soon().until(() -> threads() == 0);
    link.close();
    proxy.close();
    direct.close();
  }

  private Watch watch() {
    Watch watch = new RedisStoreWatch(link, Duration.ofMillis(100)).watch(recorded);
    watches.add(watch);
    return watch;
  }

  private void push() {
    direct.raw(Command.LPUSH, BrokerFixture.key("pending"), "id");
  }

  private void awaitNotification(Watch watch) {
    soon().until(watch::isLive);
    soon()
        .ignoreExceptions()
        .until(
            () -> {
              watch.arm(List.of(Q), PENDING);
              recorded.clear();
              push();
              soon().atMost(Duration.ofSeconds(1)).until(() -> recorded.times("q PENDING") == 1);
              return true;
            });
  }

  @Test
  void whileRedisIsDownAWatchStartsAtOnceAndArmingReportsWhy() {
    proxy.refuse();
    Watch watch = watch();

    assertThat(watch.isLive()).isFalse();
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> watch.arm(List.of(Q), PENDING))
        .withMessageContaining("cannot connect");

    proxy.acceptAgain();
    awaitNotification(watch);
  }

  @Test
  void afterARestartOfRedisNotificationsContinue() {
    Watch watch = watch();
    soon().until(watch::isLive);
    int losses = recorded.losses.get();

    redis.kill();
    soon().until(() -> !watch.isLive() && recorded.losses.get() > losses);
    redis.restart();

    awaitNotification(watch);
  }

  @Test
  void silenceIsNoticed() {
    Watch watch = watch();
    soon().until(watch::isLive);
    int losses = recorded.losses.get();

    proxy.stall(true);
    soon().until(() -> !watch.isLive() && recorded.losses.get() > losses);
    proxy.stall(false);

    awaitNotification(watch);
  }

  @Test
  void anArmingWhoseConnectionBreaksIsAnsweredAllTheSame() {
    Watch watch = watch();
    push();
    soon().until(watch::isLive);
    int losses = recorded.losses.get();
    proxy.next("EXISTS", FaultProxy.Fault.CUT_AFTER);

    assertThat(watch.arm(List.of(Q), PENDING)).containsExactly(Q);

    soon().until(() -> recorded.losses.get() > losses);
    awaitNotification(watch);
  }

  @Test
  void closeEndsAWatchThatIsConnectingAgain() {
    Watch watch = watch();
    soon().until(watch::isLive);
    proxy.refuse();
    soon().until(() -> !watch.isLive());

    watch.close();

    soon().until(() -> threads() == 0);
  }
}
