package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.service.gearman.protocol.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Throughput of a gateway: small background jobs are submitted, claimed and completed. Short, or
 * some seconds with {@code -Dasynq4j.full=true}. Logs the figures.
 */
class GearmanLoadIT {

  private static final Logger log = LoggerFactory.getLogger(GearmanLoadIT.class);

  private static final Duration PHASE =
      Boolean.getBoolean("asynq4j.full") ? Duration.ofSeconds(6) : Duration.ofMillis(700);
  private static final String DATA = "x".repeat(100);

  private GatewayFixture fixture;

  @BeforeEach
  void start() {
    fixture = new GatewayFixture();
    fixture.define("f");
    fixture.start();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private interface Step {
    /** Performs a step, and returns the number of jobs. */
    int run(RawPeer peer);
  }

  /**
   * Runs a step on this many peers for a phase, or until all jobs are done. Returns their number.
   */
  private long measure(String what, int peers, long max, Step step) throws InterruptedException {
    AtomicLong count = new AtomicLong();
    ConcurrentLinkedQueue<long[]> nanos = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    long begin = System.nanoTime();
    for (int i = 0; i < peers; i++) {
      RawPeer peer = fixture.worker("f");
      Thread thread =
          new Thread(
              () -> {
                List<Long> own = new ArrayList<>();
                while (System.nanoTime() - begin < PHASE.toNanos() && count.get() < max) {
                  long start = System.nanoTime();
                  count.addAndGet(step.run(peer));
                  own.add(System.nanoTime() - start);
                }
                nanos.add(own.stream().mapToLong(Long::longValue).toArray());
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    long[] sorted = nanos.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    log.info(
        "{}, {} connections: {} jobs/s, p50 {} us, p99 {} us",
        what,
        peers,
        Math.round(count.get() / seconds),
        sorted[sorted.length / 2] / 1_000,
        sorted[sorted.length * 99 / 100] / 1_000);
    return count.get();
  }

  private static int pipelined(RawPeer peer) {
    for (int i = 0; i < 50; i++) {
      peer.send(PacketType.SUBMIT_JOB_BG, "f", "", DATA);
    }
    for (int i = 0; i < 50; i++) {
      peer.expect(PacketType.JOB_CREATED);
    }
    return 50;
  }

  private static int complete(RawPeer peer) {
    RawPeer.Reply reply = peer.send(PacketType.GRAB_JOB).next();
    if (reply.command() != PacketType.JOB_ASSIGN) {
      return 0;
    }
    peer.send(PacketType.WORK_COMPLETE, reply.argument(0), "");
    return 1;
  }

  @Test
  void everySubmittedTaskIsCompleted() throws InterruptedException {
    long all = Long.MAX_VALUE;
    long in = measure("warm-up", 2, 2_000, GearmanLoadIT::pipelined);
    in +=
        measure(
            "submitted one by one",
            10,
            all,
            peer -> {
              peer.submit(PacketType.SUBMIT_JOB_BG, "f", "", DATA);
              return 1;
            });
    in += measure("submitted 50 at a time", 4, all, GearmanLoadIT::pipelined);
    assertThat(fixture.size("f", TaskState.PENDING)).isEqualTo(in);
    long out = measure("taken and completed", 10, in, GearmanLoadIT::complete);
    assertThat(out).isPositive();
    // WORK_COMPLETE is not confirmed, and the gateway settles many jobs together, a moment later.
    await()
        .untilAsserted(
            () -> assertThat(fixture.size("f", TaskState.ACTIVE)).isLessThanOrEqualTo(10));
    assertThat(fixture.size("f", TaskState.PENDING)).isBetween(in - out - 10, in - out);
  }
}
