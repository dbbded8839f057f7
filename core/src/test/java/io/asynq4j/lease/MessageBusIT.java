package io.asynq4j.lease;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages between processes, on a connection that may be lost. */
class MessageBusIT {

  private final EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
  private final RedisConnection redis = RedisConnection.open(server.uri());
  private final List<String> received = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    redis.close();
    server.close();
  }

  private MessageBus listen(String... names) {
    return MessageBus.open(
        redis, List.of(names), message -> received.add(new String(message, UTF_8)));
  }

  @Test
  void messagesToANameReachItsSubscribersInOrder() {
    try (MessageBus one = listen("one", "all");
        MessageBus other = MessageBus.open(redis, List.of("other"), message -> {})) {
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        other.send("other", "not for one".getBytes(UTF_8));
        other.send(i % 2 == 0 ? "one" : "all", ("m" + i).getBytes(UTF_8));
        sent.add("m" + i);
      }
      await().untilAsserted(() -> assertThat(received).isEqualTo(sent));
      one.send("nobody", "x".getBytes(UTF_8));
    }
  }

  @Test
  void anyBytesArriveAsTheyAre() {
    byte[] bytes = new byte[70_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    List<byte[]> got = new CopyOnWriteArrayList<>();
    try (MessageBus bus = MessageBus.open(redis, List.of("me"), got::add)) {
      bus.send("me", bytes);
      await().until(() -> got.size() == 1);
      assertThat(got.get(0)).isEqualTo(bytes);
    }
  }

  @Test
  void afterAnOutageItListensAgain() {
    try (MessageBus bus = listen("me", "all")) {
      server.restart();
      await()
          .ignoreExceptions()
          .until(
              () -> {
                bus.send("all", "again".getBytes(UTF_8));
                return received.contains("again");
              });
    }
  }

  @Test
  void leaseHoldersAreNotifiedOfEachCancellationOnce() {
    TaskLeases leases = TaskLeases.create(redis);
    try (var watch = leases.watchCancellations(received::add)) {
      assertThat(watch).isNotNull();
      BrokerConnection.brokerOf(redis).cancellations().publish("asynq4j:cancel:archive:cQ:a");
      BrokerConnection.brokerOf(redis).cancellations().publish("a");
      await().untilAsserted(() -> assertThat(received).containsExactly("a"));
    }
  }
}
