package io.asynq4j.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Order in which a server is shown and hidden, from any threads. */
class ServerPresenceTest {

  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final CountDownLatch answer = new CountDownLatch(1);
  private final ServerPresence presence =
      new ServerPresence(
          slowlyShown(),
          new AttemptRegistry(),
          () ->
              new Presence.Server(
                  "host", 1, "id", 1, Map.of(), false, "active", null, 0, Duration.ofSeconds(1)),
          Duration.ofSeconds(2));

  /** Redis answers to a server that shows itself when the test lets it. */
  private Presence slowlyShown() {
    return (Presence)
        Proxy.newProxyInstance(
            Presence.class.getClassLoader(),
            new Class<?>[] {Presence.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName() + " begins");
              if (method.getName().equals("show")) {
                answer.await();
              }
              calls.add(method.getName() + " ends");
              return null;
            });
  }

  @Test
  void aServerIsHiddenAfterAHeartbeatThatIsUnderWay() throws InterruptedException {
    Thread heartbeat = new Thread(presence::show);
    heartbeat.start();
    await().until(() -> calls.contains("show begins"));
    Thread stopping = new Thread(presence::hide);
    stopping.start();
    await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);

    answer.countDown();
    heartbeat.join();
    stopping.join();

    assertThat(calls).containsExactly("show begins", "show ends", "hide begins", "hide ends");
  }

  @Test
  void aServerThatIsHiddenIsNotShownAgain() {
    answer.countDown();
    presence.hide();

    presence.show();

    assertThat(calls).containsExactly("hide begins", "hide ends");
  }
}
