package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Slow, many or hostile peers do not affect the others. */
class GearmanPeersIT {

  private GatewayFixture fixture;

  @BeforeEach
  void start() {
    fixture = new GatewayFixture();
    fixture.define("f");
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private static byte[] header(int code, int size) {
    return ByteBuffer.allocate(12).putInt(Packets.REQUEST_MAGIC).putInt(code).putInt(size).array();
  }

  private void othersAreServed() {
    RawPeer client = fixture.peer();
    RawPeer worker = fixture.worker("f");
    long begin = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      String handle = client.submit(PacketType.SUBMIT_JOB, "f", "", "x");
      worker.work();
      worker.send(PacketType.WORK_COMPLETE, handle, "done");
      client.expect(PacketType.WORK_COMPLETE);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    client.close();
    worker.close();
  }

  @Test
  void manyPeersThatStopInTheMiddleOfAPacketDelayNoOther() {
    fixture.start(config -> config.maxConnections(2_000));
    for (int i = 0; i < 800; i++) {
      RawPeer half = fixture.peer();
      half.sendBytes(header(PacketType.SUBMIT_JOB_BG.code(), 1_000_000));
      half.sendBytes(new byte[i]);
    }
    othersAreServed();
    assertThat(fixture.peer().adminList("workers")).hasSizeGreaterThan(800);
  }

  @Test
  void aPacketOfFourGigabytesIsRefusedAndNoMemoryIsTakenForIt() {
    fixture.start();
    for (int size : new int[] {-1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      RawPeer peer = fixture.peer();
      peer.sendBytes(header(PacketType.SUBMIT_JOB.code(), size));
      assertThat(peer.expect(PacketType.ERROR).get(0)).isEqualTo("PACKET_TOO_LARGE");
    }
    othersAreServed();
  }

  @Test
  void aPeerThatDoesNotReadItsResponsesIsNotReadFromAndDelaysNoOther() throws Exception {
    fixture.start(config -> config.maxPacket(1 << 20));
    RawPeer greedy = fixture.peer();
    byte[] echo = RawPeer.packet(PacketType.ECHO_REQ.code(), "x".repeat(1_000_000));
    AtomicLong sent = new AtomicLong();
    Thread sender =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < 1_000; i++) {
                  greedy.sendBytes(echo);
                  sent.addAndGet(echo.length);
                }
              } catch (RuntimeException e) {
                // Closed at the end.
              }
            });
    sender.start();
    long[] before = {-1};
    await()
        .pollInterval(Duration.ofMillis(300))
        .until(
            () -> {
              boolean stuck = sent.get() > 0 && sent.get() == before[0];
              before[0] = sent.get();
              return stuck;
            });
    // More than the socket buffers of both sides and the buffer of the gateway for one peer.
    assertThat(sent.get()).isLessThan(100_000_000L);
    othersAreServed();
    greedy.close();
    sender.join(10_000);
    assertThat(sender.isAlive()).isFalse();
  }

  @Test
  void noiseEndsTheConnectionThatItComesFromAndNoOther() {
    fixture.start();
    Random random = new Random(17);
    List<RawPeer> noisy = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      RawPeer peer = fixture.peer();
      byte[] noise = new byte[1 + random.nextInt(5_000)];
      random.nextBytes(noise);
      // Half of them start with valid protocol bytes.
      if (i % 2 == 0) {
        System.arraycopy(
            header(random.nextInt(45), random.nextInt(3_000)),
            0,
            noise,
            0,
            Math.min(12, noise.length));
      }
      peer.sendBytes(noise);
      noisy.add(peer);
    }
    othersAreServed();
    noisy.forEach(RawPeer::close);
    RawPeer admin = fixture.peer();
    await().untilAsserted(() -> assertThat(admin.adminList("workers")).hasSize(1));
    assertThat(fixture.size("f", TaskState.ACTIVE)).isZero();
  }

  @Test
  void peersThatConnectAndDisconnectLeaveNothingBehind() {
    GearmanGateway gateway = fixture.start();
    for (int i = 0; i < 300; i++) {
      RawPeer peer = fixture.peer(gateway);
      switch (i % 4) {
        case 0 -> peer.send(PacketType.CAN_DO, "f").send(PacketType.PRE_SLEEP);
        case 1 -> peer.send(PacketType.SUBMIT_JOB, "f", "u" + i, "x");
        case 2 -> peer.send(PacketType.CAN_DO, "f").send(PacketType.GRAB_JOB);
        default -> peer.send(PacketType.GET_STATUS, "H:none:1");
      }
      peer.hangUp();
    }
    await().untilAsserted(() -> assertThat(gateway.running()).isZero());
    await().untilAsserted(() -> assertThat(fixture.size("f", TaskState.ACTIVE)).isZero());
    RawPeer admin = fixture.peer();
    await().untilAsserted(() -> assertThat(admin.adminList("workers")).hasSize(1));
    // The job of a lost worker whose client is gone stays.
    fixture.inspector.queue("f").deleteAll(TaskState.PENDING);
    othersAreServed();
  }
}
