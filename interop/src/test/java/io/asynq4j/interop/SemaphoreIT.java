package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskSemaphore;
import io.asynq4j.interop.peer.GoPrograms;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.TaskServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A semaphore limits the handlers of both sides together. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.asynq4j.interop.InteropSetup#ofSemaphores")
class SemaphoreIT extends InteropTestBase {

  private static final String OURS = "ours";
  private static final String SCOPE = "api";
  private static final int TOKENS = 2;

  @Test
  void bothUseTheSameSemaphoreTokens() {
    Path program = GoPrograms.semaphore(setting.go());
    TaskSemaphore semaphore = TaskSemaphore.create(redis, SCOPE, TOKENS);
    CountDownLatch enough = new CountDownLatch(1);
    Map<String, Boolean> acquired = new ConcurrentHashMap<>();
    try (WorkerProcess go = startGo(program);
        TaskServer server =
            javaServer(OURS)
                .concurrency(5)
                .handlers(
                    (task, context) -> {
                      boolean mine = semaphore.tryAcquire(context);
                      acquired.put(context.id(), mine);
                      if (mine) {
                        enough.await();
                        semaphore.release(context);
                      }
                      return Outcome.done();
                    })
                .build()) {
      server.start();

      // One each, and no more.
      weEnqueue(hold("go-1", Q, "3s"), hold("java-1", OURS, ""));
      go.await("acquired", "go-1");
      soon(() -> assertThat(acquired).containsEntry("java-1", true));
      weEnqueue(hold("go-2", Q, "1ms"), hold("java-2", OURS, ""));
      go.await("refused", "go-2");
      soon(() -> assertThat(acquired).containsEntry("java-2", false));

      // We acquire what Go releases.
      go.await("released", "go-1");
      weEnqueue(hold("java-3", OURS, ""));
      soon(() -> assertThat(acquired).containsEntry("java-3", true));
      weEnqueue(hold("go-3", Q, "1ms"));
      go.await("refused", "go-3");

      // And vice versa.
      enough.countDown();
      soon(() -> assertThat(inspector.queue(OURS).snapshot().processed()).isEqualTo(3));
      weEnqueue(hold("go-4", Q, "1ms"));
      go.await("released", "go-4");
    }
  }

  private WorkerProcess startGo(Path program) {
    return WorkerProcess.start(
        List.of(
            program.toString(),
            "-redis",
            store.uri(),
            "-queue",
            Q,
            "-scope",
            SCOPE,
            "-tokens",
            "" + TOKENS),
        "",
        GoPrograms.TARGET.resolve("semaphore.log"));
  }

  private static GoTask hold(String id, String queue, String howLong) {
    return GoTask.of(id, howLong).queue(queue).build();
  }
}
