package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.fixture.JavaProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A limit on running tasks applies to all processes together, even if some are killed. */
@DisabledOnOs(OS.WINDOWS)
class FleetLimitIT {

  private static final int LIMIT = 5;
  private static final int PROCESSES = 3;
  private static final boolean FULL = Boolean.getBoolean("asynq4j.full");
  private static final int TASKS = FULL ? 3_000 : 1_500;
  private static final int KILLS = FULL ? 20 : 4;

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  /** Counts the handlers that run, over all processes, at every instant. */
  private static final class Counter implements AutoCloseable {
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();

    Counter() throws IOException {
      threads.execute(
          () -> {
            while (!socket.isClosed()) {
              try {
                Socket report = socket.accept();
                threads.execute(() -> count(report));
              } catch (IOException e) {
                // Closed: the loop ends.
              }
            }
          });
    }

    private void count(Socket report) {
      try (report) {
        most.accumulateAndGet(now.incrementAndGet(), Math::max);
        try {
          report.getOutputStream().write(1);
          report.getInputStream().read();
        } finally {
          now.decrementAndGet();
        }
        report.getOutputStream().write(1);
      } catch (IOException e) {
        // The process was killed: its handlers run no more, and are not counted any more.
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
      threads.shutdownNow();
    }
  }

  @Test
  void threeProcessesNeverRunMoreThanTheLimitWhicheverIsKilled() throws Exception {
    Random random = new Random(3);
    List<JavaProcess> processes = new ArrayList<>();
    try (Counter counter = new Counter()) {
      world.enqueueMany("a", TASKS, options -> options.retention(Duration.ofHours(1)));
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(start(counter));
      }
      for (int kill = 0; kill < KILLS; kill++) {
        long before = world.count(TaskState.COMPLETED);
        await().until(() -> world.count(TaskState.COMPLETED) >= before + 20);
        int victim = random.nextInt(PROCESSES);
        processes.get(victim).signal("KILL");
        processes.set(victim, start(counter));
      }
      await().atMost(Duration.ofMinutes(1)).until(() -> world.count(TaskState.COMPLETED) == TASKS);

      assertThat(counter.most).hasValue(LIMIT);
      assertThat(world.queues().snapshot(Q).failed()).isZero();
    } finally {
      processes.forEach(JavaProcess::close);
    }
  }

  private static JavaProcess start(Counter counter) throws IOException {
    return JavaProcess.start(
        FleetLimitMain.class,
        world.server.uri(),
        Integer.toString(counter.socket.getLocalPort()),
        Integer.toString(LIMIT));
  }
}
