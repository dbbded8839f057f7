package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which attempts of a server are logged as failed. */
class FailureLogIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private static final Handler<Task> FAILING =
      (task, context) -> {
        throw new IOException("no luck");
      };

  private final CapturedLogs logs = new CapturedLogs();

  @AfterEach
  void close() {
    world.stopServers();
    logs.close();
  }

  private long failures(String level) {
    return logs.lines(level).stream().filter(line -> line.contains("FailureLog")).count();
  }

  private void assertNothingIsLogged() {
    world.stopServers();
    assertThat(failures("WARN")).isZero();
    assertThat(failures("ERROR")).isZero();
  }

  private static void cancel(String id, AfterCancel after) {
    world.broker().cancellations().publish(new ControlMessage.Cancel(ServerFixture.Q, id, after));
  }

  @Test
  void eachFailedAttemptIsLoggedOnceAndTheLastOneAsAnError() {
    world.enqueue("a", options -> options.maxRetry(2));
    world.start(world.quick(FAILING).retryPolicy(RetryPolicy.fixed(Duration.ofMillis(10))));
    world.awaitState("a", TaskState.ARCHIVED);
    world.stopServers();

    assertThat(logs.linesWith("FailureLog - "))
        .hasSize(3)
        .satisfies(
            lines -> {
              assertThat(lines.get(0))
                  .contains("WARN", "task t a (queue default) failed, attempt 1 of 3, next in 10ms")
                  .endsWith("java.io.IOException: no luck");
              assertThat(lines.get(1)).contains("WARN", "attempt 2 of 3");
              assertThat(lines.get(2)).contains("ERROR", "attempt 3 of 3, archived");
            });
    assertThat(logs.text()).containsOnlyOnce("at io.asynq4j.server.FailureLogIT");
  }

  @Test
  void aPayloadThatCannotBeReadIsAnError() {
    TaskType<Integer> number = TaskType.of("number", Integer.class);
    world.enqueue(Task.of("number", Payload.ofUtf8("{")), "a");
    world.start(world.quick(Mux.builder().run(number, (input, context) -> {}).build()));
    world.awaitState("a", TaskState.ARCHIVED);

    soon(() -> assertThat(failures("ERROR")).isOne());
    assertThat(logs.text()).contains("PayloadException");
  }

  @Test
  void anAttemptThatTakesTooLongIsLogged() {
    world.enqueue("a", options -> options.timeout(Duration.ofSeconds(1)));
    world.start(
        world.quick(
            (task, context) -> {
              new CountDownLatch(1).await();
              return Outcome.done();
            }));
    world.awaitState("a", TaskState.RETRY);

    soon(() -> assertThat(failures("WARN")).isOne());
    assertThat(logs.text()).contains("next in 1h0m0s: context deadline exceeded");
  }

  @Test
  void aHandlerThatIsMissingIsReportedAsBefore() {
    world.enqueue("a");
    world.start(world.quick(Mux.builder().run("other", (task, context) -> {}).build()));
    world.awaitState("a", TaskState.RETRY);

    assertNothingIsLogged();
    assertThat(logs.linesWith("no handler for")).hasSize(1);
  }

  @Test
  void whatDoesNotCountAsAFailureIsNotLogged() {
    world.enqueue("a");
    world.start(world.quick(FAILING).failures(f -> f.isFailure(error -> false)));
    world.awaitState("a", TaskState.RETRY);

    assertNothingIsLogged();
  }

  @Test
  void aSnoozeIsNotLogged() {
    world.enqueue("a");
    world.start(world.quick((task, context) -> Outcome.snooze(Duration.ofHours(1))));
    world.awaitState("a", TaskState.SCHEDULED);

    assertNothingIsLogged();
  }

  @Test
  void whatWasCancelledOnRequestIsNotLogged() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    world.enqueue("a");
    world.enqueue("b");
    world.start(
        world.quick(
            (task, context) -> {
              running.countDown();
              new CountDownLatch(1).await();
              return Outcome.done();
            }));
    running.await();
    soon(
        () -> {
          cancel("a", AfterCancel.RETRY);
          cancel("b", AfterCancel.ARCHIVE);
          assertThat(world.state("a")).isEqualTo(TaskState.RETRY);
          assertThat(world.state("b")).isEqualTo(TaskState.ARCHIVED);
        });

    assertNothingIsLogged();
  }

  @Test
  void aServerThatStopsReportsWhatItHasNotLogged() {
    world.enqueueMany("a", 20, options -> options);
    world.start(world.quick(FAILING).failures(failures -> failures.logLimit(3)));
    soon(() -> assertThat(world.count(TaskState.RETRY)).isEqualTo(20));
    world.stopServers();

    assertThat(logs.linesWith("next in")).hasSizeLessThan(20);
    assertThat(logs.linesWith("not logged")).isNotEmpty();
  }
}
