package io.asynq4j.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A connection that is closed while a server or a scheduler uses it. */
class ClosedConnectionIT {

  @RegisterExtension static final ServerFixture redis = new ServerFixture();

  private List<String> complaintsWhile(Runnable action) {
    PrintStream err = System.err;
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    System.setErr(new PrintStream(written, /* autoFlush= */ true, StandardCharsets.UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(err);
    }
    return written
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains("ERROR io.asynq4j.") || line.contains("WARN io.asynq4j."))
        .toList();
  }

  @Test
  void theServerLogsItOnceAndStopsWhileItStillCan() {
    RedisConnection own = RedisConnection.open(redis.server.uri());
    Handler<Task> handler = (task, context) -> Outcome.done();
    TaskServer server = TaskServer.builder(own).handlers(handler).build();
    server.start();
    redis.enqueue("one");
    redis.enqueue("two");
    await().until(() -> server.state() == ServerState.ACTIVE);

    List<String> complaints = complaintsWhile(own::close);

    assertThat(complaints)
        .singleElement()
        .asString()
        .contains("ERROR")
        .contains(server.id())
        .contains("stop servers before you close their connection");
    assertThat(server.state()).isEqualTo(ServerState.CLOSED);
  }

  @Test
  void theSchedulerLogsItOnceAndStops() {
    RedisConnection own = RedisConnection.open(redis.server.uri());
    Scheduler scheduler =
        Scheduler.builder(own)
            .add("each", Schedule.every(Duration.ofHours(1)), Task.of("t"))
            .build();
    scheduler.start();
    await().until(scheduler::isLeading);

    List<String> complaints = complaintsWhile(own::close);

    assertThat(complaints)
        .singleElement()
        .asString()
        .contains("stop schedulers before you close their connection");
  }

  @Test
  void whatWasStoppedBeforeIsNotMentioned() {
    RedisConnection own = RedisConnection.open(redis.server.uri());
    Handler<Task> handler = (task, context) -> Outcome.done();
    TaskServer server = TaskServer.builder(own).handlers(handler).build();
    server.start();
    server.stop();

    assertThat(complaintsWhile(own::close)).isEmpty();
  }

  @Test
  void whatIsStartedAfterwardsFailsWithOneClearError() {
    RedisConnection own = RedisConnection.open(redis.server.uri());
    Handler<Task> handler = (task, context) -> Outcome.done();
    TaskServer server = TaskServer.builder(own).handlers(handler).build();
    Scheduler scheduler =
        Scheduler.builder(own)
            .add("each", Schedule.every(Duration.ofHours(1)), Task.of("t"))
            .build();
    own.close();

    assertThatIllegalStateException()
        .isThrownBy(server::start)
        .withMessageContaining("the Redis connection is closed");
    assertThatIllegalStateException()
        .isThrownBy(scheduler::start)
        .withMessageContaining("the Redis connection is closed");
    assertThat(server.state()).isEqualTo(ServerState.NEW);
  }
}
