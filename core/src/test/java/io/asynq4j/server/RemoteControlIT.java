package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Reason;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Control messages of an inspector, and what servers do. */
class RemoteControlIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private Inspector inspector;

  @BeforeEach
  void connect() {
    inspector = Inspector.create(world.redis);
  }

  private Handler<Task> untilReleased() {
    return (task, context) -> {
      running.countDown();
      release.await();
      return Outcome.done();
    };
  }

  private TaskServer start(TaskServerBuilder builder) {
    TaskServer server = world.start(builder);
    soon(
        () -> assertThat(inspector.servers()).extracting(ServerSnapshot::id).contains(server.id()));
    return server;
  }

  private ServerSnapshot shown(TaskServer server) {
    return inspector.servers().stream()
        .filter(each -> each.id().equals(server.id()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aServerThatIsQuietedStopsClaiming() throws Exception {
    TaskServer server = start(world.quick(untilReleased()));
    TaskServer other = start(world.quick(untilReleased()).queue("elsewhere"));
    world.enqueue("a");
    running.await();

    soon(
        () -> {
          // Again and again: its subscription may not be there yet.
          assertThat(inspector.quietServer(server.id())).isTrue();
          assertThat(server.state()).isEqualTo(ServerState.QUIET);
        });
    assertThat(other.state()).isEqualTo(ServerState.ACTIVE);
    soon(() -> assertThat(shown(server).status()).isEqualTo("stopped"));
    world.enqueue("b");
    release.countDown();
    world.awaitGone("a");
    assertThat(world.state("b")).isEqualTo(TaskState.PENDING);
    assertThat(inspector.queue("default").explain("b").reasons()).contains(new Reason.NoServer(2));
  }

  @Test
  void aServerThatIsAskedToStopFinishesItsTasksAndExits() throws Exception {
    TaskServer server = start(world.quick(untilReleased()));
    world.enqueue("a", o -> o.retention(Duration.ofHours(1)));
    running.await();

    soon(
        () -> {
          inspector.stopServer(server.id());
          assertThat(server.state()).isEqualTo(ServerState.STOPPING);
        });
    release.countDown();

    assertThat(server.awaitStop(Duration.ofSeconds(10))).isTrue();
    assertThat(world.state("a")).isEqualTo(TaskState.COMPLETED);
    assertThat(inspector.servers()).isEmpty();
    assertThat(inspector.stopServer(server.id())).isFalse();
  }

  @Test
  void runReturnsWhenTheServerIsAskedToStop() throws Exception {
    TaskServer server = world.quick(untilReleased()).build();
    Thread main = new Thread(server::run);
    main.start();
    try {
      soon(
          () -> {
            inspector.stopServer(server.id());
            assertThat(main.isAlive()).isFalse();
          });
    } finally {
      server.stop();
    }
  }

  private void cancelIfItRuns(String id, AfterCancel after) {
    try {
      inspector.queue("default").cancel(id, after);
    } catch (TaskNotFoundException | TaskStateException e) {
      // An earlier try was received.
    }
  }

  @Test
  void aCancelledTaskIsArchivedOrGoneAsItWasAskedFor() {
    start(
        world.quick(
            (task, context) -> {
              new CountDownLatch(1).await();
              return Outcome.done();
            }));
    for (String id : new String[] {"retry", "archive", "delete"}) {
      world.enqueue(id, o -> o.retention(Duration.ofHours(1)));
      world.awaitState(id, TaskState.ACTIVE);
    }
    soon(
        () -> {
          cancelIfItRuns("delete", AfterCancel.DELETE);
          assertThat(world.find("delete")).isEmpty();
        });
    inspector.queue("default").cancel("archive", AfterCancel.ARCHIVE);
    inspector.queue("default").cancel("retry");

    world.awaitState("archive", TaskState.ARCHIVED);
    world.awaitState("retry", TaskState.RETRY);
    assertThat(world.info("archive").lastError()).isEqualTo("context canceled");
    assertThat(world.info("archive").retried()).isZero();
  }

  @Test
  void whatTheHandlerDecidesWhenItIsCancelledCounts() {
    start(
        world.quick(
            (task, context) -> {
              try {
                new CountDownLatch(1).await();
                return Outcome.drop();
              } catch (InterruptedException e) {
                return Outcome.done("in time");
              }
            }));
    world.enqueue("a", o -> o.retention(Duration.ofHours(1)));
    world.awaitState("a", TaskState.ACTIVE);
    soon(
        () -> {
          cancelIfItRuns("a", AfterCancel.DELETE);
          assertThat(world.state("a")).isEqualTo(TaskState.COMPLETED);
        });
  }

  @Test
  void anOrderForATaskOfAnotherQueueDoesNotMarkThisOne() throws Exception {
    start(
        world
            .quick(
                (task, context) -> {
                  running.countDown();
                  if (!release.await(10, TimeUnit.SECONDS)) {
                    return Outcome.archive("never released");
                  }
                  return Outcome.done();
                })
            .queue("default"));
    world.enqueue("a");
    running.await();
    world
        .broker()
        .cancellations()
        .publish(new ControlMessage.Cancel(QueueName.of("elsewhere"), "a", AfterCancel.DELETE));
    world.broker().cancellations().publish(new ControlMessage.Stop("another"));
    // A plain cancellation is received last, so earlier messages have been received too.
    soon(
        () -> {
          world.broker().cancellations().publish("a");
          assertThat(world.find("a").map(TaskInfo::state))
              .as("cancelled as Go does it, so it is tried again")
              .contains(TaskState.RETRY);
        });
  }
}
