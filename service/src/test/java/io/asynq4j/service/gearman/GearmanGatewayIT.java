package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.client.TaskClient;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.server.TaskServer;
import io.asynq4j.service.gearman.job.JobKey;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.session.WorkerJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The gateway, tested packet by packet. */
class GearmanGatewayIT {

  private static final Duration SHORT = Duration.ofMillis(200);

  private GatewayFixture fixture;

  @BeforeEach
  void start() {
    fixture = new GatewayFixture();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void aForegroundJobGoesToAWorkerAndItsResultComesBack() {
    fixture.define("reverse");
    fixture.start();
    RawPeer client = fixture.peer();
    RawPeer worker = fixture.worker("reverse").sleep();
    String handle = client.submit(PacketType.SUBMIT_JOB, "reverse", "", "a\0b");
    worker.expect(PacketType.NOOP);
    assertThat(worker.ask(PacketType.JOB_ASSIGN, PacketType.GRAB_JOB))
        .containsExactly(handle, "reverse", "a", "b");
    worker.send(PacketType.WORK_STATUS, handle, "1", "4");
    assertThat(client.expect(PacketType.WORK_STATUS)).containsExactly(handle, "1", "4");
    assertThat(fixture.peer().ask(PacketType.STATUS_RES, PacketType.GET_STATUS, handle))
        .containsExactly(handle, "1", "1", "1", "4");
    worker.send(PacketType.WORK_DATA, handle, "half");
    assertThat(client.expect(PacketType.WORK_DATA)).containsExactly(handle, "half");
    worker.send(PacketType.WORK_WARNING, handle, "hm");
    assertThat(client.expect(PacketType.WORK_WARNING)).containsExactly(handle, "hm");
    worker.send(PacketType.WORK_COMPLETE, handle, "b\0a");
    assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "b", "a");
    assertThat(client.ask(PacketType.STATUS_RES, PacketType.GET_STATUS, handle))
        .containsExactly(handle, "0", "0", "0", "0");
    TaskInfo task = fixture.task("reverse", JobKey.idOf(handle));
    assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(task.result()).isEqualTo(Payload.ofUtf8("b\0a"));
  }

  @Test
  void aBackgroundJobIsATaskThatOutlivesTheGateway() {
    fixture.define("mail", definition -> definition.retention(Duration.ofHours(1)).maxRetry(3));
    GearmanGateway first = fixture.start();
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB_BG, "mail", "mail-1", "hello");
    assertThat(JobKey.idOf(handle)).isEqualTo("mail-1");
    client.close();
    first.close();
    TaskInfo task = fixture.task("mail", "mail-1");
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.type()).isEqualTo("mail");
    assertThat(task.payload()).isEqualTo(Payload.ofUtf8("hello"));
    assertThat(task.maxRetry()).isEqualTo(3);

    fixture.start();
    assertThat(fixture.peer().ask(PacketType.STATUS_RES, PacketType.GET_STATUS, handle))
        .containsExactly(handle, "1", "0", "0", "0");
    RawPeer worker = fixture.worker("mail");
    assertThat(worker.ask(PacketType.JOB_ASSIGN_UNIQ, PacketType.GRAB_JOB_UNIQ))
        .containsExactly(handle, "mail", "mail-1", "hello");
    worker.send(PacketType.WORK_COMPLETE, handle, "sent");
    await()
        .untilAsserted(
            () -> assertThat(fixture.task("mail", "mail-1").result().utf8()).isEqualTo("sent"));
  }

  @Test
  void theNameThatAClientGaveReachesTheWorker() {
    fixture.define("f");
    fixture.start();
    String odd = "two words \u00ff";
    String handle = fixture.peer().submit(PacketType.SUBMIT_JOB_BG, "f", odd, "d");
    assertThat(handle.length()).isLessThan(64);
    assertThat(fixture.worker("f").ask(PacketType.JOB_ASSIGN_UNIQ, PacketType.GRAB_JOB_ALL))
        .containsExactly(handle, "f", odd, "d");
    assertThat(fixture.peer().ask(PacketType.STATUS_RES_UNIQUE, PacketType.GET_STATUS_UNIQUE, odd))
        .containsExactly(odd, "1", "1", "0", "0", "0");
  }

  @Test
  void aSleepingWorkerIsWokenByTheTaskThatComesIn() {
    fixture.define("f");
    fixture.startWithoutPolling();
    RawPeer client = fixture.peer();
    RawPeer worker = fixture.worker("f");
    for (int i = 0; i < 20; i++) {
      worker.sleep();
      worker.expectNothing(Duration.ofMillis(20));
      client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "x");
      worker.expect(PacketType.NOOP);
      List<String> job = worker.ask(PacketType.JOB_ASSIGN, PacketType.GRAB_JOB);
      worker.send(PacketType.WORK_COMPLETE, job.get(0), "");
    }
  }

  @Test
  void aWorkerSleepsWhileItsQueueIsPausedAndIsWokenWhenThatEnds() {
    fixture.define("f");
    fixture.start();
    fixture.peer().submit(PacketType.SUBMIT_JOB_BG, "f", "", "x");
    fixture.inspector.queue("f").pause();
    RawPeer worker = fixture.worker("f").sleep();
    // It may be woken once a second to check, but not more often.
    int woken = 0;
    long until = System.nanoTime() + Duration.ofMillis(2_500).toNanos();
    while (System.nanoTime() < until) {
      if (worker.within(SHORT).isPresent()) {
        woken++;
        worker.sleep();
      }
    }
    assertThat(woken).isLessThanOrEqualTo(4);
    fixture.inspector.queue("f").resume();
    assertThat(worker.work().get(2)).isEqualTo("x");
  }

  @Test
  void jobsOfHighPriorityComeFirstWherePrioritiesAreDefined() {
    fixture.define("f", "f:high", "f:low");
    fixture.start();
    RawPeer client = fixture.peer();
    client.submit(PacketType.SUBMIT_JOB_LOW_BG, "f", "", "low");
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "normal 1");
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "normal 2");
    client.submit(PacketType.SUBMIT_JOB_HIGH_BG, "f", "", "high");
    assertThat(fixture.size("f:high", TaskState.PENDING)).isEqualTo(1);
    RawPeer worker = fixture.worker("f");
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      List<String> job = worker.work();
      assertThat(job.get(1)).isEqualTo("f");
      order.add(job.get(2));
      worker.send(PacketType.WORK_COMPLETE, job.get(0), "");
    }
    assertThat(order).containsExactly("high", "normal 1", "normal 2", "low");
    // Foreground jobs too, and sleeping workers are woken for them.
    worker.sleep();
    String handle = client.submit(PacketType.SUBMIT_JOB_HIGH, "f", "", "urgent");
    worker.expect(PacketType.NOOP);
    worker.work();
    worker.send(PacketType.WORK_COMPLETE, handle, "done");
    assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "done");
  }

  @Test
  void withoutDefinitionsForThemPrioritiesShareOneQueueInTheirOrder() {
    fixture.define("f", definition -> definition.ordered(true));
    fixture.start();
    RawPeer client = fixture.peer();
    client.submit(PacketType.SUBMIT_JOB_LOW_BG, "f", "", "1");
    client.submit(PacketType.SUBMIT_JOB_HIGH_BG, "f", "", "2");
    RawPeer worker = fixture.worker("f");
    for (String expected : List.of("1", "2")) {
      List<String> job = worker.work();
      assertThat(job.get(2)).isEqualTo(expected);
      worker.send(PacketType.WORK_COMPLETE, job.get(0), "");
    }
  }

  @Test
  void jobsThatAreCalledTheSameAreOneUntilItHasEnded() {
    fixture.define("f");
    fixture.start();
    RawPeer one = fixture.peer();
    RawPeer two = fixture.peer();
    RawPeer background = fixture.peer();
    String handle = one.submit(PacketType.SUBMIT_JOB, "f", "u", "first");
    assertThat(two.submit(PacketType.SUBMIT_JOB, "f", "u", "second")).isEqualTo(handle);
    assertThat(background.submit(PacketType.SUBMIT_JOB_BG, "f", "u", "third")).isEqualTo(handle);
    RawPeer worker = fixture.worker("f");
    assertThat(worker.work()).containsExactly(handle, "f", "first");
    assertThat(two.submit(PacketType.SUBMIT_JOB, "f", "u", "fourth")).isEqualTo(handle);
    assertThat(
            background.ask(PacketType.STATUS_RES_UNIQUE, PacketType.GET_STATUS_UNIQUE, "u").get(5))
        .isEqualTo("3");
    worker.send(PacketType.WORK_COMPLETE, handle, "done");
    assertThat(one.expect(PacketType.WORK_COMPLETE).get(1)).isEqualTo("done");
    // Once per submission.
    assertThat(two.expect(PacketType.WORK_COMPLETE).get(1)).isEqualTo("done");
    assertThat(two.expect(PacketType.WORK_COMPLETE).get(1)).isEqualTo("done");
    two.expectNothing(SHORT);
    background.expectNothing(SHORT);

    one.submit(PacketType.SUBMIT_JOB, "f", "u", "anew");
    assertThat(worker.work().get(2)).isEqualTo("anew");
    worker.send(PacketType.WORK_FAIL, handle);
    assertThat(one.expect(PacketType.WORK_FAIL)).containsExactly(handle);
    one.submit(PacketType.SUBMIT_JOB, "f", "u", "once more");
    assertThat(worker.work().get(2)).isEqualTo("once more");
  }

  @Test
  void jobsWithTheSameDataAreMergedWhenAClientRequestsIt() {
    fixture.define("f");
    fixture.start();
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB_BG, "f", "-", "data");
    assertThat(client.submit(PacketType.SUBMIT_JOB_BG, "f", "-", "data")).isEqualTo(handle);
    assertThat(client.submit(PacketType.SUBMIT_JOB_BG, "f", "-", "other")).isNotEqualTo(handle);
    assertThat(fixture.size("f", TaskState.PENDING)).isEqualTo(2);
  }

  @Test
  void aUniqueWindowOfTheDefinitionHoldsToo() {
    fixture.define("f", definition -> definition.uniqueFor(Duration.ofHours(1)));
    fixture.start();
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "data");
    RawPeer other = fixture.peer();
    assertThat(other.submit(PacketType.SUBMIT_JOB, "f", "", "data")).isEqualTo(handle);
    RawPeer worker = fixture.worker("f");
    worker.work();
    worker.send(PacketType.WORK_COMPLETE, handle, "done");
    assertThat(client.expect(PacketType.WORK_COMPLETE).get(1)).isEqualTo("done");
    assertThat(other.expect(PacketType.WORK_COMPLETE).get(1)).isEqualTo("done");
  }

  @Test
  void waitingClientsGetAFailureAndABackgroundJobIsRetried() {
    fixture.define(
        "f", definition -> definition.maxRetry(5).backoff(Duration.ofHours(2)).maxRun(10));
    fixture.start();
    RawPeer client = fixture.peer();
    RawPeer worker = fixture.worker("f");
    String handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "x");
    worker.work();
    worker.send(PacketType.WORK_FAIL, handle);
    assertThat(client.expect(PacketType.WORK_FAIL)).containsExactly(handle);
    assertThat(fixture.task("f", JobKey.idOf(handle)).state()).isEqualTo(TaskState.ARCHIVED);

    handle = client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "x");
    worker.work();
    worker.send(PacketType.WORK_FAIL, handle);
    String id = JobKey.idOf(handle);
    await()
        .untilAsserted(() -> assertThat(fixture.task("f", id).state()).isEqualTo(TaskState.RETRY));
    TaskInfo task = fixture.task("f", id);
    assertThat(task.lastError()).isEqualTo(WorkerJobs.FAILED);
    assertThat(task.nextProcessAt())
        .isAfter(fixture.redis.clock().instant().plus(Duration.ofMinutes(100)));
    assertThat(client.ask(PacketType.STATUS_RES, PacketType.GET_STATUS, handle))
        .containsExactly(handle, "1", "0", "0", "0");
  }

  @Test
  void exceptionsReachClientsThatRequestedThem() {
    fixture.define("f");
    fixture.start();
    RawPeer curious = fixture.peer();
    assertThat(curious.ask(PacketType.OPTION_RES, PacketType.OPTION_REQ, "exceptions"))
        .containsExactly("exceptions");
    RawPeer plain = fixture.peer();
    String handle = curious.submit(PacketType.SUBMIT_JOB, "f", "u", "x");
    plain.submit(PacketType.SUBMIT_JOB, "f", "u", "x");
    RawPeer worker = fixture.worker("f");
    worker.work();
    worker.send(PacketType.WORK_EXCEPTION, handle, "it broke");
    assertThat(curious.expect(PacketType.WORK_EXCEPTION)).containsExactly(handle, "it broke");
    assertThat(plain.expect(PacketType.WORK_FAIL)).containsExactly(handle);
    assertThat(fixture.task("f", "u").lastError()).isEqualTo("it broke");
    // Later packets about it are ignored, as workers do send some.
    worker.send(PacketType.WORK_FAIL, handle);
    worker.ask(PacketType.ECHO_RES, PacketType.ECHO_REQ, "still there");
    worker.send(PacketType.WORK_COMPLETE, "H:none:1", "");
    assertThat(worker.expect(PacketType.ERROR).get(0)).isEqualTo("JOB_NOT_FOUND");
  }

  @Test
  void aJobWhoseWorkerIsGoneGoesToAnotherWithoutUsingARetry() {
    fixture.define("f");
    fixture.start();
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "x");
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "later");
    RawPeer dying = fixture.worker("f");
    assertThat(dying.work().get(0)).isEqualTo(handle);
    RawPeer other = fixture.worker("f");
    other.work();
    other.sleep();
    long begin = System.nanoTime();
    dying.close();
    other.expect(PacketType.NOOP);
    assertThat(other.work()).containsExactly(handle, "f", "x");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
    assertThat(fixture.task("f", JobKey.idOf(handle)).retried()).isZero();
    other.send(PacketType.WORK_COMPLETE, handle, "done");
    assertThat(client.expect(PacketType.WORK_COMPLETE).get(1)).isEqualTo("done");
  }

  @Test
  void aJobThatKillsItsWorkersIsArchived() {
    fixture.define("f", definition -> definition.maxRetry(5));
    fixture.start(config -> config.jobRetries(2));
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB, "f", "poison", "x");
    for (int i = 0; i < 3; i++) {
      RawPeer worker = fixture.worker("f");
      assertThat(worker.work().get(0)).isEqualTo(handle);
      worker.close();
    }
    assertThat(client.expect(PacketType.WORK_FAIL)).containsExactly(handle);
    TaskInfo task = fixture.task("f", "poison");
    assertThat(task.state()).isEqualTo(TaskState.ARCHIVED);
    assertThat(task.lastError()).contains("3 times in a row");
  }

  @Test
  void aForegroundJobThatHasNotStartedIsDeletedWithItsLastClient() {
    fixture.define("f");
    fixture.start();
    RawPeer client = fixture.peer();
    client.submit(PacketType.SUBMIT_JOB, "f", "waits", "x");
    client.submit(PacketType.SUBMIT_JOB, "f", "shared", "x");
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "background", "x");
    fixture.peer().submit(PacketType.SUBMIT_JOB, "f", "shared", "x");
    client.close();
    await()
        .untilAsserted(
            () ->
                assertThat(fixture.tasks("f", TaskState.PENDING))
                    .extracting(TaskInfo::id)
                    .containsExactlyInAnyOrder("shared", "background"));
  }

  @Test
  void aForegroundJobOfSeveralClientsGoesWithTheLastOfThem() {
    fixture.define("f");
    fixture.start();
    RawPeer one = fixture.peer();
    RawPeer two = fixture.peer();
    one.submit(PacketType.SUBMIT_JOB, "f", "shared", "x");
    two.submit(PacketType.SUBMIT_JOB, "f", "shared", "x");
    one.close();
    two.submit(PacketType.SUBMIT_JOB_BG, "f", "marker", "x");
    assertThat(fixture.size("f", TaskState.PENDING)).isEqualTo(2);
    two.close();
    await()
        .untilAsserted(
            () ->
                assertThat(fixture.tasks("f", TaskState.PENDING))
                    .extracting(TaskInfo::id)
                    .containsExactly("marker"));
  }

  @Test
  void aForegroundJobGoesWithAClientThatIsGoneBeforeItIsIn() {
    fixture.define("f");
    fixture.start();
    RawPeer other = fixture.peer();
    for (int i = 0; i < 20; i++) {
      RawPeer hasty = fixture.peer();
      hasty.send(PacketType.SUBMIT_JOB, "f", "hasty-" + i, "x");
      hasty.hangUp();
      other.submit(PacketType.SUBMIT_JOB_BG, "f", "marker-" + i, "x");
    }
    await()
        .untilAsserted(
            () ->
                assertThat(fixture.tasks("f", TaskState.PENDING))
                    .extracting(TaskInfo::id)
                    .hasSize(20)
                    .allMatch(id -> id.startsWith("marker-")));
  }

  @Test
  void aUniqueKeyHoldsWhateverThePriority() {
    fixture.define("f", "f:high", "f:low");
    fixture.start();
    RawPeer client = fixture.peer();
    String low = client.submit(PacketType.SUBMIT_JOB_LOW_BG, "f", "u", "first");
    assertThat(client.submit(PacketType.SUBMIT_JOB_HIGH, "f", "u", "second")).isEqualTo(low);
    assertThat(client.submit(PacketType.SUBMIT_JOB, "f", "u", "third")).isEqualTo(low);
    assertThat(client.submit(PacketType.SUBMIT_JOB_HIGH_BG, "f", "other", "x")).isNotEqualTo(low);
    RawPeer worker = fixture.worker("f");
    List<String> urgent = worker.work();
    assertThat(urgent.get(2)).isEqualTo("x");
    worker.send(PacketType.WORK_COMPLETE, urgent.get(0), "");
    assertThat(worker.work()).containsExactly(low, "f", "first");
    worker.send(PacketType.WORK_COMPLETE, low, "done");
    assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(low, "done");
    assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(low, "done");
    worker.ask(PacketType.NO_JOB, PacketType.GRAB_JOB);
    // It has ended, and no data is left under any priority.
    String again = client.submit(PacketType.SUBMIT_JOB_HIGH, "f", "u", "again");
    assertThat(again).isNotEqualTo(low);
    assertThat(worker.work()).containsExactly(again, "f", "again");
  }

  @Test
  void ofTwoPrioritiesSubmittedTogetherOneJobRemains() {
    fixture.define("f", "f:high", "f:low");
    fixture.start();
    RawPeer client = fixture.peer();
    for (int i = 0; i < 50; i++) {
      client.send(PacketType.SUBMIT_JOB_BG, "f", "u" + i, "x");
      client.send(PacketType.SUBMIT_JOB_LOW_BG, "f", "u" + i, "x");
      client.send(PacketType.SUBMIT_JOB_HIGH_BG, "f", "u" + i, "x");
    }
    for (int i = 0; i < 150; i++) {
      assertThat(client.expect(PacketType.JOB_CREATED).get(0)).endsWith(":u" + i / 3);
    }
    assertThat(
            fixture.size("f", TaskState.PENDING)
                + fixture.size("f:high", TaskState.PENDING)
                + fixture.size("f:low", TaskState.PENDING))
        .isEqualTo(50);
  }

  @Test
  void aCancelledJobStaysAsRequestedWhateverItsWorkerSendsLater() {
    fixture.define("f", definition -> definition.maxRetry(5).backoff(Duration.ofHours(1)));
    fixture.start();
    RawPeer client = fixture.peer();
    RawPeer worker = fixture.worker("f");
    for (AfterCancel after : AfterCancel.values()) {
      String id = after.name();
      String handle = client.submit(PacketType.SUBMIT_JOB_BG, "f", id, "x");
      worker.work();
      fixture.inspector.queue("f").cancel(id, after);
      await().until(() -> stateOf(id) != TaskState.ACTIVE);
      worker.send(PacketType.WORK_STATUS, handle, "1", "2");
      worker.send(PacketType.WORK_DATA, handle, "data");
      worker.send(PacketType.WORK_COMPLETE, handle, "too late");
      worker.ask(PacketType.ECHO_RES, PacketType.ECHO_REQ, "no error");
    }
    assertThat(stateOf("RETRY")).isEqualTo(TaskState.RETRY);
    assertThat(stateOf("ARCHIVE")).isEqualTo(TaskState.ARCHIVED);
    assertThat(stateOf("DELETE")).isNull();
    assertThat(fixture.task("f", "RETRY").lastError()).isEqualTo("cancelled by an operator");
    assertThat(fixture.task("f", "ARCHIVE").result().size()).isZero();

    for (AfterCancel after : AfterCancel.values()) {
      String handle = client.submit(PacketType.SUBMIT_JOB, "f", "awaited " + after, "x");
      worker.work();
      fixture.inspector.queue("f").cancel(JobKey.idOf(handle), after);
      assertThat(client.expect(PacketType.WORK_FAIL)).containsExactly(handle);
    }
  }

  private @Nullable TaskState stateOf(String id) {
    try {
      return fixture.task("f", id).state();
    } catch (TaskNotFoundException e) {
      return null;
    }
  }

  @Test
  void aWorkerThatSleepsAndLearnsSomethingIsWokenForIt() {
    fixture.define("f", "g");
    fixture.start();
    RawPeer client = fixture.peer();
    RawPeer worker = fixture.worker("f").sleep();
    client.submit(PacketType.SUBMIT_JOB_BG, "g", "", "before");
    worker.send(PacketType.CAN_DO, "g").expect(PacketType.NOOP);
    assertThat(worker.work().get(2)).isEqualTo("before");
    worker.send(PacketType.CANT_DO, "g").sleep();
    worker.send(PacketType.CAN_DO, "g").expect(PacketType.NOOP);
    worker.sleep();
    worker.expectNothing(SHORT);
    client.submit(PacketType.SUBMIT_JOB_BG, "g", "", "after");
    worker.expect(PacketType.NOOP);
    assertThat(worker.work().get(2)).isEqualTo("after");
  }

  @Test
  void aForegroundJobThatRunsIsLeftAloneWhenItsClientGoes() {
    fixture.define("f");
    fixture.start();
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB, "f", "runs", "x");
    RawPeer worker = fixture.worker("f");
    worker.work();
    client.close();
    worker.ask(PacketType.ECHO_RES, PacketType.ECHO_REQ, "later");
    worker.send(PacketType.WORK_COMPLETE, handle, "done");
    await()
        .untilAsserted(
            () -> assertThat(fixture.task("f", "runs").state()).isEqualTo(TaskState.COMPLETED));
  }

  @Test
  void whatIsNotDefinedIsRefusedInWords() {
    fixture.define("f");
    fixture.definitions.put(TaskDefinition.builder("hosted", TaskKind.HTTP).build());
    fixture.start();
    RawPeer client = fixture.peer();
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "nope", "", "x"))
        .satisfies(error -> assertThat(error.get(0)).isEqualTo("UNKNOWN_FUNCTION"))
        .satisfies(error -> assertThat(error.get(1)).contains("\"nope\"", "acceptUndefined"));
    RawPeer worker = fixture.worker("nope");
    assertThat(worker.expect(PacketType.ERROR).get(0)).isEqualTo("UNKNOWN_FUNCTION");
    worker.send(PacketType.CAN_DO, "hosted");
    assertThat(worker.expect(PacketType.ERROR).get(1)).contains("by the service itself");
    worker.ask(PacketType.NO_JOB, PacketType.GRAB_JOB);
    // Clients may submit tasks that the service executes.
    client.submit(PacketType.SUBMIT_JOB_HIGH_BG, "hosted", "", "x");
    assertThat(fixture.size("hosted", TaskState.PENDING)).isEqualTo(1);
    // It is found when it was defined a moment ago.
    fixture.define("nope");
    await()
        .untilAsserted(
            () ->
                assertThat(
                        fixture
                            .peer()
                            .send(PacketType.SUBMIT_JOB_BG, "nope", "", "x")
                            .next()
                            .command())
                    .isEqualTo(PacketType.JOB_CREATED));
  }

  @Test
  void whatIsNotDefinedIsDefinedWhereThatIsWanted() {
    fixture.start(config -> config.acceptUndefined(true).maxFunctions(3));
    RawPeer worker = fixture.worker("f").sleep();
    RawPeer client = fixture.peer();
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "normal");
    client.submit(PacketType.SUBMIT_JOB_HIGH_BG, "f", "", "high");
    client.submit(PacketType.SUBMIT_JOB_LOW_BG, "f", "", "low");
    assertThat(fixture.definitions.all().keySet()).containsExactly("f", "f:high", "f:low");
    assertThat(fixture.task("f", fixture.tasks("f", TaskState.PENDING).get(0).id()).maxRetry())
        .isZero();
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "g", "", "x").get(0))
        .isEqualTo("TOO_MANY_FUNCTIONS");
    worker.expect(PacketType.NOOP);
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      List<String> job = worker.work();
      order.add(job.get(2));
      worker.send(PacketType.WORK_COMPLETE, job.get(0), "");
    }
    assertThat(order).containsExactly("high", "normal", "low");
  }

  @Test
  void noMoreRunAtOnceThanTheDefinitionAllowsOverAllGateways() {
    fixture.define("f", definition -> definition.maxRun(2));
    List<GearmanGateway> gateways =
        List.of(fixture.startWithoutPolling(), fixture.startWithoutPolling());
    RawPeer client = fixture.peer();
    for (int i = 0; i < 10; i++) {
      client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "x");
    }
    List<RawPeer> workers = new ArrayList<>();
    List<String> handles = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      RawPeer worker = fixture.peer(gateways.get(i % 2)).send(PacketType.CAN_DO, "f");
      RawPeer.Reply reply = worker.send(PacketType.GRAB_JOB).next();
      if (reply.command() == PacketType.JOB_ASSIGN) {
        handles.add(reply.argument(0));
        workers.add(worker);
      }
    }
    assertThat(handles).hasSize(2);
    RawPeer sleeper = fixture.peer(gateways.get(0)).send(PacketType.CAN_DO, "f").sleep();
    sleeper.expectNothing(Duration.ofMillis(100));
    workers.get(1).send(PacketType.WORK_COMPLETE, handles.get(1), "");
    // A free place is reported without a new task.
    sleeper.expect(PacketType.NOOP);
    sleeper.ask(PacketType.JOB_ASSIGN, PacketType.GRAB_JOB);
    assertThat(fixture.size("f", TaskState.ACTIVE)).isEqualTo(2);
  }

  @Test
  void aFailedJobOfAnOrderedFunctionBlocksItsQueue() {
    fixture.define(
        "line",
        definition ->
            definition
                .ordered(true)
                .maxRetry(3)
                .backoff(Duration.ofSeconds(1))
                .longestBackoff(Duration.ofSeconds(1)));
    fixture.start();
    RawPeer client = fixture.peer();
    client.submit(PacketType.SUBMIT_JOB_BG, "line", "1", "one");
    client.submit(PacketType.SUBMIT_JOB_BG, "line", "2", "two");
    RawPeer worker = fixture.worker("line");
    List<String> job = worker.work();
    assertThat(job.get(2)).isEqualTo("one");
    RawPeer other = fixture.worker("line").sleep();
    worker.send(PacketType.WORK_FAIL, job.get(0));
    assertThat(other.work().get(2)).isEqualTo("one");
    other.send(PacketType.WORK_COMPLETE, job.get(0), "");
    assertThat(other.work().get(2)).isEqualTo("two");
  }

  @Test
  void clientsAndWorkersOfDifferentGatewaysMeet() {
    fixture.define("f");
    GearmanGateway one = fixture.start();
    GearmanGateway two = fixture.start();
    RawPeer client = fixture.peer(one);
    RawPeer worker = fixture.peer(two).send(PacketType.CAN_DO, "f").sleep();
    String handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "x");
    worker.expect(PacketType.NOOP);
    worker.work();
    worker.send(PacketType.WORK_STATUS, handle, "7", "9");
    assertThat(client.expect(PacketType.WORK_STATUS)).containsExactly(handle, "7", "9");
    String running = handle;
    RawPeer other = fixture.peer(one);
    await()
        .untilAsserted(
            () ->
                assertThat(other.ask(PacketType.STATUS_RES, PacketType.GET_STATUS, running))
                    .containsExactly(running, "1", "1", "7", "9"));
    worker.send(PacketType.WORK_COMPLETE, handle, "done");
    assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "done");
    client.send(PacketType.OPTION_REQ, "exceptions").expect(PacketType.OPTION_RES);
    handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "x");
    worker.work();
    worker.send(PacketType.WORK_EXCEPTION, handle, "it broke");
    assertThat(client.expect(PacketType.WORK_EXCEPTION)).containsExactly(handle, "it broke");
  }

  @Test
  void aClientWaitsForWhatAServerExecutes() {
    fixture.define("java", definition -> definition.retention(Duration.ofSeconds(5)));
    fixture.start();
    try (TaskServer server =
        TaskServer.builder(fixture.redis)
            .queue("java")
            .handlers(
                Mux.builder()
                    .handle(
                        "java",
                        (task, context) ->
                            task.payload().utf8().equals("bad")
                                ? Outcome.archive("oh")
                                : Outcome.done(Payload.ofUtf8("by java")))
                    .build())
            .build()) {
      server.start();
      RawPeer client = fixture.peer();
      String handle = client.submit(PacketType.SUBMIT_JOB, "java", "", "good");
      assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "by java");
      handle = client.submit(PacketType.SUBMIT_JOB, "java", "", "bad");
      assertThat(client.expect(PacketType.WORK_FAIL)).containsExactly(handle);
    }
  }

  @Test
  void aWorkerExecutesTasksThatOthersEnqueued() {
    fixture.define("f");
    fixture.start();
    RawPeer worker = fixture.worker("f").sleep();
    String longId = "an id of another kind, " + "long ".repeat(20);
    try (TaskClient client = TaskClient.create(fixture.redis)) {
      client.enqueue(
          Task.of("f", Payload.ofUtf8("from java")),
          TaskOptions.of(o -> o.queue("f").id(longId).retention(Duration.ofHours(1))));
    }
    worker.expect(PacketType.NOOP);
    List<String> job = worker.work();
    assertThat(job.get(0).length()).isLessThan(64);
    assertThat(job.get(2)).isEqualTo("from java");
    worker.send(PacketType.WORK_COMPLETE, job.get(0), "by gearman");
    await()
        .untilAsserted(
            () -> assertThat(fixture.task("f", longId).result().utf8()).isEqualTo("by gearman"));
  }

  @Test
  void aJobStaysWithItsWorkerForLongerThanALease() {
    fixture.define("f");
    fixture.start(config -> config.lease(Duration.ofSeconds(3)));
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "x");
    RawPeer worker = fixture.worker("f");
    worker.work();
    RawPeer other = fixture.worker("f").sleep();
    // Longer than the lease and the recovery interval.
    other.expectNothing(Duration.ofSeconds(7));
    worker.send(PacketType.WORK_COMPLETE, handle, "done");
    assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "done");
  }

  @Test
  void aJobThatTakesLongerThanItsWorkerAllowsItselfIsTriedAgain() {
    fixture.define("f", definition -> definition.maxRetry(3).backoff(Duration.ofSeconds(1)));
    fixture.start();
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB_BG, "f", "slow", "x");
    RawPeer worker = fixture.peer().send(PacketType.CAN_DO_TIMEOUT, "f", "1");
    worker.work();
    await().untilAsserted(() -> assertThat(fixture.task("f", "slow").retried()).isEqualTo(1));
    assertThat(fixture.task("f", "slow").lastError()).contains("before its timeout");
    worker.send(PacketType.WORK_COMPLETE, handle, "too late");
    worker.ask(PacketType.ECHO_RES, PacketType.ECHO_REQ, "no error");
    assertThat(worker.work().get(0)).isEqualTo(handle);
  }

  @Test
  void aJobForLaterWaitsForItsTime() {
    fixture.define("f");
    fixture.start();
    long at = fixture.redis.clock().instant().getEpochSecond() + 2;
    RawPeer client = fixture.peer();
    String handle =
        client
            .ask(
                PacketType.JOB_CREATED,
                PacketType.SUBMIT_JOB_EPOCH,
                "f",
                "",
                Long.toString(at),
                "later")
            .get(0);
    assertThat(fixture.task("f", JobKey.idOf(handle)).state()).isEqualTo(TaskState.SCHEDULED);
    assertThat(fixture.worker("f").work().get(2)).isEqualTo("later");
    assertThat(fixture.redis.clock().instant()).isAfterOrEqualTo(Instant.ofEpochSecond(at));
    for (String wrong : List.of("soon", "", "253402300800", "9".repeat(30))) {
      assertThat(
              client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_EPOCH, "f", "", wrong, "x").get(0))
          .isEqualTo("INVALID_ARGUMENTS");
    }
    for (String past : List.of("-5", "0", "1000000000")) {
      client.ask(
          PacketType.JOB_CREATED, PacketType.SUBMIT_JOB_EPOCH, "f", "past " + past, past, "x");
    }
    assertThat(fixture.size("f", TaskState.PENDING)).isEqualTo(3);
    client.ask(
        PacketType.JOB_CREATED, PacketType.SUBMIT_JOB_EPOCH, "f", "far", "253402300799", "x");
    assertThat(fixture.task("f", "far").nextProcessAt())
        .isEqualTo(Instant.ofEpochSecond(253_402_300_799L));
  }

  @Test
  void whatGearmandNeverHadIsRefusedWithAWayOut() {
    fixture.define("f");
    fixture.start();
    RawPeer client = fixture.peer();
    assertThat(
            client.ask(
                PacketType.ERROR,
                PacketType.SUBMIT_JOB_SCHED,
                "f",
                "u",
                "0",
                "12",
                "*",
                "*",
                "*",
                "data"))
        .satisfies(error -> assertThat(error.get(0)).isEqualTo("INVALID_COMMAND"))
        .satisfies(error -> assertThat(error.get(1)).contains("SUBMIT_JOB_EPOCH", "schedule"));
    for (PacketType reduce :
        List.of(PacketType.SUBMIT_REDUCE_JOB, PacketType.SUBMIT_REDUCE_JOB_BG)) {
      assertThat(client.ask(PacketType.ERROR, reduce, "f", "u", "reducer", "data"))
          .satisfies(error -> assertThat(error.get(0)).isEqualTo("INVALID_COMMAND"))
          .satisfies(error -> assertThat(error.get(1)).contains(reduce.name(), "not supported"));
    }
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "u", "still there");
  }

  @Test
  void abilitiesCanBeTakenBack() {
    fixture.define("f", "g");
    fixture.start();
    RawPeer client = fixture.peer();
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "x");
    RawPeer worker = fixture.worker("f", "g");
    worker.send(PacketType.CANT_DO, "f").ask(PacketType.NO_JOB, PacketType.GRAB_JOB);
    worker.send(PacketType.CAN_DO, "f").send(PacketType.RESET_ABILITIES);
    worker.ask(PacketType.NO_JOB, PacketType.GRAB_JOB);
    worker.send(PacketType.CAN_DO, "f").ask(PacketType.JOB_ASSIGN, PacketType.GRAB_JOB);
  }

  @Test
  void aLimitOnWaitingJobsHolds() {
    fixture.define("f", definition -> definition.maxPending(3));
    fixture.start();
    RawPeer client = fixture.peer();
    for (int i = 0; i < 3; i++) {
      client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "x");
    }
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "f", "", "x").get(0))
        .isEqualTo("JOB_QUEUE_FULL");
    fixture.inspector.queue("f").deleteAll(TaskState.PENDING);
    await()
        .untilAsserted(
            () ->
                assertThat(client.send(PacketType.SUBMIT_JOB_BG, "f", "", "x").next().command())
                    .isEqualTo(PacketType.JOB_CREATED));
  }

  @Test
  void answersComeInTheOrderOfTheRequests() {
    fixture.define("f");
    fixture.start();
    RawPeer client = fixture.peer();
    for (int i = 0; i < 200; i++) {
      client.send(PacketType.SUBMIT_JOB_BG, "f", "id-" + i, "x");
      client.send(PacketType.GET_STATUS, "H:none:" + i);
      client.send(PacketType.ECHO_REQ, "echo " + i);
    }
    for (int i = 0; i < 200; i++) {
      assertThat(client.expect(PacketType.JOB_CREATED).get(0)).endsWith(":id-" + i);
      assertThat(client.expect(PacketType.STATUS_RES).get(0)).isEqualTo("H:none:" + i);
      assertThat(client.expect(PacketType.ECHO_RES)).containsExactly("echo " + i);
    }
  }

  @Test
  void unreadableRequestsAreRejectedAndTheRestContinues() {
    fixture.define("f");
    fixture.start(config -> config.maxPacket(2_000));
    RawPeer client = fixture.peer();
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "f", "", "x".repeat(3_000)))
        .satisfies(error -> assertThat(error.get(0)).isEqualTo("PACKET_TOO_LARGE"))
        .satisfies(error -> assertThat(error.get(1)).contains("2,000", "maxPacket"));
    client.sendBytes(RawPeer.packet(99, "x"));
    assertThat(client.expect(PacketType.ERROR).get(0)).isEqualTo("INVALID_COMMAND");
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "f").get(0))
        .isEqualTo("INVALID_ARGUMENTS");
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "", "", "x").get(0))
        .isEqualTo("INVALID_ARGUMENTS");
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "f\t", "", "x").get(0))
        .isEqualTo("INVALID_ARGUMENTS");
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_REDUCE_JOB, "f", "", "r", "x").get(0))
        .isEqualTo("INVALID_COMMAND");
    assertThat(client.ask(PacketType.ERROR, PacketType.OPTION_REQ, "unheard of").get(0))
        .isEqualTo("UNKNOWN_OPTION");
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "", "x".repeat(1_900));
    RawPeer other = fixture.peer();
    other.sendBytes(new byte[] {0, 'B', 'A', 'D', 0, 0, 0, 0, 0, 0, 0, 0});
    assertThat(other.expect(PacketType.ERROR).get(0)).isEqualTo("INVALID_PACKET");
    other.expectEnd();
  }

  @Test
  void surplusAndSilentPeersAreDisconnected() {
    fixture.define("f");
    fixture.start(config -> config.maxConnections(2).firstPacketWithin(Duration.ofMillis(300)));
    RawPeer talking = fixture.peer();
    talking.ask(PacketType.ECHO_RES, PacketType.ECHO_REQ, "hello");
    RawPeer silent = fixture.peer();
    await()
        .untilAsserted(
            () -> assertThat(talking.adminList("workers")).as("both are there").hasSize(2));
    RawPeer third = fixture.peer();
    assertThat(third.expect(PacketType.ERROR).get(0)).isEqualTo("TOO_MANY_CONNECTIONS");
    third.expectEnd();
    silent.expectEnd();
    talking.ask(PacketType.ECHO_RES, PacketType.ECHO_REQ, "still here");
  }

  @Test
  void adminCommandsAnswerAsGearmandDoes() {
    fixture.define("busy", "idle", "busy:high");
    fixture.start();
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB_BG, "busy", "a", "x");
    client.submit(PacketType.SUBMIT_JOB_HIGH_BG, "busy", "b", "x");
    client.submit(PacketType.SUBMIT_JOB_BG, "busy", "c", "x");
    RawPeer worker = fixture.worker("busy").send(PacketType.SET_CLIENT_ID, "the worker");
    worker.work();
    RawPeer admin = fixture.peer();
    assertThat(admin.adminList("status")).containsExactly("busy\t3\t1\t1", "idle\t0\t0\t0");
    assertThat(admin.adminList("prioritystatus"))
        .containsExactly("busy\t0\t2\t0\t1", "idle\t0\t0\t0\t0");
    assertThat(admin.adminList("workers"))
        .anyMatch(line -> line.matches("\\d+ 127\\.0\\.0\\.1 the_worker : busy"))
        .anyMatch(line -> line.matches("\\d+ 127\\.0\\.0\\.1 - :"));
    assertThat(admin.admin("version")).startsWith("OK asynq4j");
    assertThat(admin.admin("getpid")).isEqualTo("OK " + ProcessHandle.current().pid());
    assertThat(admin.admin("verbose")).isEqualTo("OK ERROR");
    assertThat(admin.adminList("show unique jobs")).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(admin.adminList("show jobs")).hasSize(3).anyMatch(line -> line.startsWith(handle));
    assertThat(admin.admin("cancel job " + handle)).isEqualTo("OK");
    assertThat(fixture.tasks("busy", TaskState.PENDING))
        .extracting(TaskInfo::id)
        .containsExactly("c");
    assertThat(admin.admin("cancel job H:none:1")).startsWith("ERR UNKNOWN_JOB");
    assertThat(admin.admin("shutdown")).startsWith("ERR NOT_ALLOWED");
    assertThat(admin.admin("maxqueue busy 3")).startsWith("ERR NOT_ALLOWED");
    assertThat(admin.admin("drop function busy")).startsWith("ERR NOT_ALLOWED");
    assertThat(admin.admin("create function busy")).isEqualTo("OK");
    assertThat(admin.admin("create function new")).startsWith("ERR UNKNOWN_FUNCTION");
    assertThat(admin.admin("nonsense")).startsWith("ERR UNKNOWN_COMMAND");
    assertThat(admin.admin("")).startsWith("ERR UNKNOWN_COMMAND");
  }

  @Test
  void closingWaitsForJobsThatRunAndGivesTheRestBack() throws InterruptedException {
    fixture.define("f");
    GearmanGateway gateway = fixture.start(config -> config.drainTimeout(Duration.ofSeconds(2)));
    RawPeer client = fixture.peer();
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "ends", "x");
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "stays", "x");
    client.submit(PacketType.SUBMIT_JOB, "f", "waited-for", "x");
    RawPeer quick = fixture.worker("f");
    RawPeer slow = fixture.worker("f");
    String ends = quick.work().get(0);
    slow.work();
    RawPeer idle = fixture.worker("f");
    idle.ask(PacketType.ECHO_RES, PacketType.ECHO_REQ, "");
    Thread closing = new Thread(gateway::close);
    closing.start();
    idle.expectEnd();
    assertThat(client.ask(PacketType.ERROR, PacketType.SUBMIT_JOB_BG, "f", "", "x").get(0))
        .isEqualTo("SHUTDOWN");
    quick.send(PacketType.WORK_COMPLETE, ends, "");
    quick.expectEnd();
    slow.ask(PacketType.NO_JOB, PacketType.GRAB_JOB);
    closing.join(10_000);
    assertThat(closing.isAlive()).isFalse();
    assertThatThrownBy(() -> fixture.task("f", "ends")).isInstanceOf(TaskNotFoundException.class);
    assertThat(fixture.task("f", "stays").state()).isEqualTo(TaskState.PENDING);
    assertThat(fixture.task("f", "stays").retried()).isZero();
    // A client that the gateway disconnects still wants its job.
    assertThat(fixture.task("f", "waited-for").state()).isEqualTo(TaskState.PENDING);
    assertThatThrownBy(fixture::peer).hasMessageContaining("refused");
  }

  @Test
  void workersAndClientsOutliveAnOutageOfRedis() {
    fixture.define("f", definition -> definition.retention(Duration.ofHours(1)));
    fixture.start();
    RawPeer client = fixture.peer();
    RawPeer worker = fixture.worker("f");
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "1", "x");
    String handle = worker.work().get(0);
    RawPeer sleeper = fixture.worker("f").sleep();
    fixture.server.pause();
    try {
      // Jobs that ended meanwhile are settled when Redis is back.
      worker.send(PacketType.WORK_COMPLETE, handle, "done");
    } finally {
      fixture.server.resume();
    }
    await()
        .untilAsserted(
            () -> assertThat(fixture.task("f", "1").state()).isEqualTo(TaskState.COMPLETED));
    client.submit(PacketType.SUBMIT_JOB_BG, "f", "2", "y");
    assertThat(sleeper.next().command()).isEqualTo(PacketType.NOOP);
    assertThat(sleeper.work().get(2)).isEqualTo("y");
  }

  @Test
  void noJobWaitsWhileAWorkerSleepsThatCouldDoIt() throws InterruptedException {
    int functions = 8;
    int workers = 16;
    int jobs = 3_000;
    List<String> names = new ArrayList<>();
    for (int i = 0; i < functions; i++) {
      names.add("f" + i);
    }
    fixture.define(names.toArray(String[]::new));
    List<GearmanGateway> gateways =
        List.of(fixture.startWithoutPolling(), fixture.startWithoutPolling());
    Set<String> done = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int w = 0; w < workers; w++) {
      Random random = new Random(w);
      RawPeer worker = fixture.peer(gateways.get(w % 2));
      for (int i = 0; i < 3; i++) {
        worker.send(PacketType.CAN_DO, names.get((w + i * 3) % functions));
      }
      threads.add(
          thread(
              () -> {
                while (done.size() < jobs) {
                  RawPeer.Reply reply = worker.send(PacketType.GRAB_JOB).next();
                  if (reply.command() == PacketType.NO_JOB) {
                    worker.send(PacketType.PRE_SLEEP);
                    while (worker.within(SHORT).isEmpty()) {
                      if (done.size() >= jobs) {
                        return;
                      }
                    }
                    continue;
                  }
                  String data = reply.argument(2);
                  if (random.nextInt(50) == 0) {
                    // Long enough for others to be idle meanwhile.
                    pause(5);
                  }
                  if (!done.add(data)) {
                    twice.incrementAndGet();
                  }
                  worker.send(PacketType.WORK_COMPLETE, reply.argument(0), "");
                }
              }));
    }
    for (int c = 0; c < 3; c++) {
      int part = c;
      RawPeer client = fixture.peer(gateways.get(c % 2));
      threads.add(
          thread(
              () -> {
                Random random = new Random(part);
                for (int i = part; i < jobs; i += 3) {
                  String data = "job " + i;
                  client.submit(
                      PacketType.SUBMIT_JOB_BG, names.get(random.nextInt(functions)), "", data);
                  if (random.nextInt(20) == 0) {
                    // So that workers fall asleep now and then.
                    pause(20);
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join(60_000);
      assertThat(thread.isAlive()).isFalse();
    }
    assertThat(done).hasSize(jobs);
    assertThat(twice).hasValue(0);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
