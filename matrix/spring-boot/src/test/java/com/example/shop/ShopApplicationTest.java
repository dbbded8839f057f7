package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import io.asynq4j.spring.TaskServers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** A day in the life of the application, on a real Redis. */
@ExtendWith(OutputCaptureExtension.class)
class ShopApplicationTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path data;

  private EmbeddedRedis redis;
  private ConfigurableApplicationContext context;
  private TaskClient client;
  private Mailer mailer;

  /** Contexts of other tests are cached. */
  private Set<Thread> others;

  @BeforeEach
  void start() {
    others = Thread.getAllStackTraces().keySet();
    redis = EmbeddedRedis.builder().dataDirectory(data).appendFsync("always").start();
    context = SpringApplication.run(
            ShopApplication.class,
            "--asynq4j.redis.url=" + redis.uri(),
            "--asynq4j.server.retry.delay=200ms");
    client = context.getBean(TaskClient.class);
    mailer = context.getBean(Mailer.class);
  }

  @AfterEach
  void stop() {
    context.close();
    redis.close();
  }

  private static OrderMail mail(long order) {
    return new OrderMail(
        order, "Zoë", List.of("tea", "cup"), Instant.parse("2026-02-03T04:05:06.789Z"));
  }

  private void enqueue(long order) {
    client.enqueue(OrderMail.TYPE, mail(order)).orThrow();
  }

  private void awaitSent(Long... orders) {
    await().atMost(PATIENCE).until(() -> mailer.sent().keySet().containsAll(List.of(orders)));
  }

  @Test
  void aTaskIsHandledWithThePayloadThatWasEnqueued() {
    enqueue(1);

    awaitSent(1L);
    assertThat(mailer.sent().get(1L)).isEqualTo(mail(1));
  }

  @Test
  void aTaskThatFailsIsRetried() {
    mailer.failFor(1, 2);
    enqueue(1);

    awaitSent(1L);
    assertThat(mailer.triesOf(1)).isEqualTo(3);
  }

  @Test
  void aRestartOfRedisLosesAndRepeatsNothing() {
    enqueue(1);
    awaitSent(1L);

    redis.stop();
    redis.restart();
    await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> enqueue(2));
    awaitSent(2L);
    // Still notified of new tasks, not only once more.
    enqueue(3);

    awaitSent(3L);
    assertThat(mailer.triesOf(1)).isEqualTo(1);
    assertThat(mailer.triesOf(2)).isEqualTo(1);
    assertThat(mailer.triesOf(3)).isEqualTo(1);
  }

  @Test
  void aStopWaitsForTheHandlerAndLeavesNothingBehind(CapturedOutput output) throws Exception {
    CountDownLatch hold = mailer.hold(1);
    enqueue(1);
    await().atMost(PATIENCE).until(() -> mailer.triesOf(1) == 1);
    TaskServer server = context.getBean(TaskServers.class).find("default").orElseThrow();

    Thread closing = new Thread(context::close);
    closing.start();
    await().atMost(PATIENCE).until(() -> server.state() == ServerState.STOPPING);
    hold.countDown();
    closing.join(PATIENCE.toMillis());

    assertThat(closing.isAlive()).isFalse();
    assertThat(server.state()).isEqualTo(ServerState.CLOSED);
    assertThat(mailer.sent()).containsOnlyKeys(1L);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(ownThreads()).isEmpty());
    assertThat(output).doesNotContain("ERROR").doesNotContain("Exception");
  }

  private Set<String> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !others.contains(thread))
        .map(Thread::getName)
        .filter(name -> name.startsWith("asynq"))
        .collect(Collectors.toSet());
  }
}
