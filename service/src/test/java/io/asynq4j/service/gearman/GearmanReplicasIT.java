package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.service.gearman.protocol.PacketType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several gateways on one Redis, with clients and workers at different ones. */
class GearmanReplicasIT {

  private GatewayFixture fixture;
  private GearmanGateway one;
  private GearmanGateway two;

  @BeforeEach
  void start() {
    fixture = new GatewayFixture();
    fixture.define("f", "f:high");
    one = fixture.start();
    two = fixture.start();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private RawPeer workerOf(GearmanGateway gateway) {
    return fixture.peer(gateway).send(PacketType.CAN_DO, "f");
  }

  @Test
  void messagesOfAWorkerReachAClientOfAnotherGatewayInOrder() {
    RawPeer client = fixture.peer(one);
    RawPeer worker = workerOf(two);
    for (int round = 0; round < 10; round++) {
      String handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "x");
      worker.work();
      for (int i = 1; i <= 50; i++) {
        worker.send(PacketType.WORK_DATA, handle, "part " + i);
        worker.send(PacketType.WORK_STATUS, handle, Integer.toString(i), "50");
      }
      worker.send(PacketType.WORK_WARNING, handle, "careful");
      worker.send(PacketType.WORK_COMPLETE, handle, "done");
      for (int i = 1; i <= 50; i++) {
        assertThat(client.expect(PacketType.WORK_DATA)).containsExactly(handle, "part " + i);
        assertThat(client.expect(PacketType.WORK_STATUS))
            .containsExactly(handle, Integer.toString(i), "50");
      }
      assertThat(client.expect(PacketType.WORK_WARNING)).containsExactly(handle, "careful");
      assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "done");
    }
  }

  @Test
  void aResultIsSentByTheGatewayOfTheWorker() {
    RawPeer client = fixture.peer(fixture.startWithoutPolling());
    RawPeer worker = workerOf(fixture.startWithoutPolling());
    for (int round = 0; round < 5; round++) {
      String handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "x");
      worker.work();
      worker.send(PacketType.WORK_COMPLETE, handle, "done");

      assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "done");
    }
  }

  @Test
  void aClientThatJoinsAJobRunningElsewhereGetsItsMessages() {
    RawPeer first = fixture.peer(two);
    RawPeer worker = workerOf(two);
    String handle = first.submit(PacketType.SUBMIT_JOB, "f", "u", "x");
    worker.work();
    RawPeer late = fixture.peer(one);
    assertThat(late.submit(PacketType.SUBMIT_JOB, "f", "u", "y")).isEqualTo(handle);
    Optional<RawPeer.Reply> received = Optional.empty();
    for (int i = 0; i < 100 && received.isEmpty(); i++) {
      worker.send(PacketType.WORK_DATA, handle, "data");
      received = late.within(Duration.ofMillis(100));
    }
    assertThat(received).isPresent();
    assertThat(received.orElseThrow().arguments()).containsExactly(handle, "data");
    worker.send(PacketType.WORK_FAIL, handle);
    RawPeer.Reply last = late.next();
    while (last.command() == PacketType.WORK_DATA) {
      last = late.next();
    }
    assertThat(last.command()).isEqualTo(PacketType.WORK_FAIL);
  }

  @Test
  void aJobStaysWhenItsClientGoesIfOneOfAnotherGatewayWantsItToo() {
    RawPeer leaving = fixture.peer(one);
    RawPeer staying = fixture.peer(two);
    String awaited = leaving.submit(PacketType.SUBMIT_JOB, "f", "awaited", "x");
    String wanted = leaving.submit(PacketType.SUBMIT_JOB, "f", "wanted", "x");
    leaving.submit(PacketType.SUBMIT_JOB, "f", "own", "x");
    assertThat(staying.submit(PacketType.SUBMIT_JOB, "f", "awaited", "y")).isEqualTo(awaited);
    assertThat(staying.submit(PacketType.SUBMIT_JOB_BG, "f", "wanted", "y")).isEqualTo(wanted);
    leaving.hangUp();
    await()
        .untilAsserted(
            () ->
                assertThat(fixture.tasks("f", TaskState.PENDING))
                    .extracting(TaskInfo::id)
                    .doesNotContain("own"));
    RawPeer worker = workerOf(two);
    assertThat(List.of(worker.work().get(0), worker.work().get(0)))
        .containsExactlyInAnyOrder(awaited, wanted);
    worker.send(PacketType.WORK_COMPLETE, awaited, "done");
    assertThat(staying.expect(PacketType.WORK_COMPLETE)).containsExactly(awaited, "done");
  }

  @Test
  void aDisconnectingClientLeavesJobsOfOthers() {
    RawPeer owner = fixture.peer(one);
    RawPeer joining = fixture.peer(two);
    String handle = owner.submit(PacketType.SUBMIT_JOB_BG, "f", "u", "x");
    assertThat(joining.submit(PacketType.SUBMIT_JOB, "f", "u", "y")).isEqualTo(handle);
    joining.submit(PacketType.SUBMIT_JOB, "f", "own", "y");
    joining.hangUp();
    await().untilAsserted(() -> assertThat(fixture.size("f", TaskState.PENDING)).isEqualTo(1));
    assertThat(workerOf(one).work()).containsExactly(handle, "f", "x");
  }

  @Test
  void ofJobsSubmittedSimultaneouslyWithTwoPrioritiesOneRemains() throws Exception {
    RawPeer normal = fixture.peer(one);
    RawPeer high = fixture.peer(two);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    CyclicBarrier together = new CyclicBarrier(2);
    try {
      for (int i = 0; i < 100; i++) {
        String unique = "u" + i;
        CompletableFuture<String> first =
            CompletableFuture.supplyAsync(
                () -> submitted(together, normal, PacketType.SUBMIT_JOB_BG, unique), threads);
        CompletableFuture<String> second =
            CompletableFuture.supplyAsync(
                () -> submitted(together, high, PacketType.SUBMIT_JOB_HIGH_BG, unique), threads);
        assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(second.get(10, TimeUnit.SECONDS));
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.size("f", TaskState.PENDING) + fixture.size("f:high", TaskState.PENDING))
        .isEqualTo(100);
  }

  private static String submitted(
      CyclicBarrier together, RawPeer client, PacketType command, String unique) {
    try {
      together.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return client.submit(command, "f", unique, "x");
  }

  @Test
  void aUniqueJobThatIsSubmittedEverywhereRepeatedlyIsNeverLost() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    RawPeer worker = workerOf(two);
    try {
      for (int round = 0; round < 30; round++) {
        CyclicBarrier together = new CyclicBarrier(2);
        RawPeer first = fixture.peer(one);
        RawPeer second = fixture.peer(two);
        List<CompletableFuture<String>> handles =
            Stream.of(first, second)
                .map(
                    client ->
                        CompletableFuture.supplyAsync(
                            () -> submitted(together, client, PacketType.SUBMIT_JOB, "same"),
                            threads))
                .toList();
        assertThat(handles.get(0).get(10, TimeUnit.SECONDS))
            .isEqualTo(handles.get(1).get(10, TimeUnit.SECONDS));
        List<String> job = worker.work();
        worker.send(PacketType.WORK_COMPLETE, job.get(0), "round " + round);
        assertThat(first.expect(PacketType.WORK_COMPLETE).get(1)).isEqualTo("round " + round);
        assertThat(second.expect(PacketType.WORK_COMPLETE).get(1)).isEqualTo("round " + round);
        worker.ask(PacketType.NO_JOB, PacketType.GRAB_JOB);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
