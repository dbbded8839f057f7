package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.service.auth.ApiKey;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The reference workers, run by the real interpreters. */
class ReferenceWorkersIT {

  private static final Path WORKERS = Path.of("workers").toAbsolutePath();

  /** A language with a program that handles the tasks of the tests. */
  enum Language {
    PYTHON(
        "python3",
        "worker.py",
        """
        import os, sys, time
        sys.path.insert(0, sys.argv[1])
        from asynq_worker import Worker, Snooze, GiveUp
        worker = Worker(sys.argv[2], key=sys.argv[3], lease=int(sys.argv[5]), wait=2)

        @worker.task("work")
        def work(task):
            mode = task.params["mode"]
            if mode == "fail":
                raise ValueError("it is broken: ü")
            if mode == "give up":
                raise GiveUp("no use")
            if mode == "snooze":
                raise Snooze(3600)
            if mode == "once" and not os.path.exists(sys.argv[4]):
                with open(sys.argv[4], "w") as marker:
                    marker.write(str(os.getpid()))
                time.sleep(300)
            if mode == "slow":
                time.sleep(4)
            if mode == "stop":
                task.progress(1, "at it")
                assert task.cancelled.wait(20)
                raise RuntimeError("stopped")
            task.progress(99, "nearly")
            return {"double": task.params.get("n", 0) * 2, "attempt": task.attempt}

        worker.run()
        """),
    PHP(
        "php",
        "worker.php",
        """
        <?php
        require $argv[1] . '/asynq_worker.php';
        $worker = new AsynqWorker($argv[2], $argv[3], (int) $argv[5], 2);
        $worker->task('work', function (AsynqTask $task) use ($argv) {
            $mode = $task->params['mode'];
            if ($mode === 'fail') {
                throw new RuntimeException('it is broken: ü');
            }
            if ($mode === 'give up') {
                throw new AsynqGiveUp('no use');
            }
            if ($mode === 'snooze') {
                throw new AsynqSnooze(3600);
            }
            if ($mode === 'once' && !file_exists($argv[4])) {
                file_put_contents($argv[4], (string) getmypid());
                sleep(300);
            }
            if ($mode === 'slow') {
                for ($i = 0; $i < 40; $i++) {
                    usleep(100000);
                    if ($i % 8 === 0 && !function_exists('pcntl_alarm')) {
                        $task->extend();
                    }
                }
            }
            if ($mode === 'stop') {
                $until = microtime(true) + 20;
                while (!$task->cancelled && microtime(true) < $until) {
                    $task->progress(1, 'at it');
                    usleep(100000);
                }
                throw new RuntimeException($task->cancelled ? 'stopped' : 'not cancelled');
            }
            $task->progress(99, 'nearly');
            return ['double' => ($task->params['n'] ?? 0) * 2, 'attempt' => $task->attempt];
        });
        $worker->run();
        """);

    private final String interpreter;
    private final String file;
    private final String program;

    Language(String interpreter, String file, String program) {
      this.interpreter = interpreter;
      this.file = file;
      this.program = program;
    }

    private Optional<String> found() {
      return Optional.ofNullable(System.getenv("PATH")).stream()
          .flatMap(path -> List.of(path.split(File.pathSeparator, -1)).stream())
          .map(directory -> directory + "/" + interpreter)
          .filter(program -> Files.isExecutable(Path.of(program)))
          .findFirst();
    }
  }

  @TempDir private Path directory;

  private final String key = ApiKey.create();
  private final List<Process> processes = new ArrayList<>();
  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
    fixture.start(
        """
        keys:
          - { name: all, hash: "%s", scopes: [submit, work, operate] }
        tasks:
          work: { kind: worker, retention: 1h, backoff: 1h, longestBackoff: 1h, timeout: 1m }
        """
            .formatted(ApiKey.hashOf(key)));
  }

  @AfterEach
  void stop() {
    processes.forEach(process -> process.descendants().forEach(ProcessHandle::destroyForcibly));
    processes.forEach(Process::destroyForcibly);
    fixture.close();
  }

  private Process startWorker(Language language, int lease) throws IOException {
    Optional<String> interpreter = language.found();
    assumeTrue(
        interpreter.isPresent(),
        "the worker of %s is not tested: %s is not installed"
            .formatted(language, language.interpreter));
    Path program = Files.writeString(directory.resolve(language.file), language.program);
    Process process =
        new ProcessBuilder(
                interpreter.orElseThrow(),
                program.toString(),
                WORKERS.toString(),
                fixture.url(),
                key,
                directory.resolve("marker").toString(),
                Integer.toString(lease))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("out-" + processes.size()).toFile())
            .start();
    processes.add(process);
    return process;
  }

  private void submit(String id, String mode) {
    String body =
        "{\"name\":\"work\",\"id\":\"%s\",\"params\":{\"mode\":\"%s\",\"n\":21}}"
            .formatted(id, mode);
    assertThat(fixture.post("/v1/tasks", body, "Authorization", "Bearer " + key).status())
        .isEqualTo(201);
  }

  private TaskInfo ended(String id, TaskState state) {
    await()
        .ignoreException(TaskNotFoundException.class)
        .until(() -> fixture.inspector.queue("work").task(id).state() == state);
    return fixture.inspector.queue("work").task(id);
  }

  @ParameterizedTest
  @EnumSource(Language.class)
  void everyOutcomeOfAnAttemptIsReported(Language language) throws Exception {
    Process worker = startWorker(language, 30);
    submit("ok", "ok");
    submit("fail", "fail");
    submit("give up", "give up");
    submit("snooze", "snooze");
    assertThat(ended("ok", TaskState.COMPLETED).result().utf8())
        .isEqualTo("{\"double\":42,\"attempt\":1}");
    assertThat(ended("fail", TaskState.RETRY).lastError()).contains("it is broken: ü");
    assertThat(ended("give up", TaskState.ARCHIVED).lastError()).isEqualTo("no use");
    assertThat(ended("snooze", TaskState.SCHEDULED).retried()).isZero();
    worker.destroy();
    await().until(() -> !worker.isAlive());
  }

  @ParameterizedTest
  @EnumSource(Language.class)
  void aTaskOfAKilledWorkerGoesToAnother(Language language) throws Exception {
    startWorker(language, 2);
    submit("1", "once");
    Path marker = directory.resolve("marker");
    await().until(() -> Files.exists(marker) && !Files.readString(marker).isBlank());
    long pid = Long.parseLong(Files.readString(marker).strip());
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    startWorker(language, 2);
    TaskInfo task = ended("1", TaskState.COMPLETED);
    // The crash used no retry.
    assertThat(task.result().utf8()).isEqualTo("{\"double\":42,\"attempt\":1}");
  }

  @ParameterizedTest
  @EnumSource(Language.class)
  void aCancelledTaskIsStoppedByItsWorker(Language language) throws Exception {
    startWorker(language, 2);
    submit("1", "stop");
    await().until(() -> fixture.inspector.queue("work").task("1").progress() != null);
    String[] asKey = {"Authorization", "Bearer " + key};
    assertThat(fixture.post("/v1/tasks/1/cancel", "", asKey).status()).isEqualTo(200);
    assertThat(ended("1", TaskState.ARCHIVED).lastError()).isEqualTo("cancelled by an operator");
  }

  @ParameterizedTest
  @EnumSource(Language.class)
  void aLeaseIsExtendedWhileTheTaskRuns(Language language) throws Exception {
    startWorker(language, 2);
    startWorker(language, 2);
    submit("1", "slow");
    TaskInfo task = ended("1", TaskState.COMPLETED);
    assertThat(task.crashes()).isZero();
    assertThat(task.retried()).isZero();
  }
}
