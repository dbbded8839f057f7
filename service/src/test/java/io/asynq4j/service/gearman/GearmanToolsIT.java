package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.TaskState;
import io.asynq4j.service.gearman.protocol.PacketType;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway with the real clients and workers: Debian's gearman-tools and php-gearman, and gear
 * for Python, which is fetched from PyPI. Each test is skipped, and says so, where its tool is
 * missing.
 */
class GearmanToolsIT {

  private static final Logger log = LoggerFactory.getLogger(GearmanToolsIT.class);

  private static final String PHP_WORKER =
      """
      <?php
      $worker = new GearmanWorker();
      $worker->addServer('127.0.0.1', (int) $argv[1]);
      $worker->addFunction('work', function (GearmanJob $job) {
          $data = $job->workload();
          if ($data === 'fail') { $job->sendFail(); return; }
          if ($data === 'throw') { $job->sendException('it broke'); return; }
          if ($data === 'die') { posix_kill(getmypid(), SIGKILL); }
          if ($data === 'slow') { sleep(60); }
          if ($data === 'xyz') { $job->sendStatus(1, 2); $job->sendData('part'); }
          return strrev($data);
      });
      while ($worker->work() || $worker->returnCode() == GEARMAN_TIMEOUT) { }
      fwrite(STDERR, $worker->error() . "\\n");
      """;

  private static final String PHP_CLIENT =
      """
      <?php
      $client = new GearmanClient();
      $client->addServer('127.0.0.1', (int) $argv[1]);
      echo 'normal ', $client->doNormal('work', 'abc'), "\\n";
      echo 'high ', $client->doHigh('work', 'high'), "\\n";
      echo 'low ', $client->doLow('work', 'low'), "\\n";
      $client->doNormal('work', 'fail');
      echo 'fail ', $client->returnCode() === GEARMAN_WORK_FAIL ? 'reported' : $client->returnCode(), "\\n";
      $handle = $client->doBackground('work', 'background', 'bg-1');
      do {
          [$known, $running] = $client->jobStatus($handle);
          usleep(10000);
      } while ($known);
      echo "background done\\n";
      $results = [];
      $client->setExceptionCallback(function ($task) use (&$results) { $results[] = 'exception ' . $task->data(); });
      $client->setDataCallback(function ($task) use (&$results) { $results[] = 'data ' . $task->data(); });
      $client->setStatusCallback(function ($task) use (&$results) {
          $results[] = 'status ' . $task->taskNumerator() . '/' . $task->taskDenominator();
      });
      $client->setCompleteCallback(function ($task) use (&$results) { $results[] = 'complete ' . $task->data(); });
      $client->setFailCallback(function ($task) use (&$results) { $results[] = 'failed'; });
      $client->addTask('work', 'xyz');
      $client->addTask('work', 'throw');
      $client->runTasks();
      sort($results);
      echo implode("\\n", $results), "\\n";
      $results = [];
      $client->addTask('work', 'same', null, 'unique');
      $client->addTask('work', 'same', null, 'unique');
      $client->runTasks();
      echo implode(', ', $results), "\\n";
      """;

  private GatewayFixture fixture;
  private int port;
  private final List<Process> started = new ArrayList<>();

  @TempDir Path directory;

  @BeforeEach
  void start() {
    fixture = new GatewayFixture();
    fixture.define("work", definition -> definition.retention(Duration.ofMinutes(10)));
    fixture.define("wc");
    port = fixture.start().port();
  }

  @AfterEach
  void stop() {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    fixture.close();
  }

  private static void need(boolean there, String what) {
    if (!there) {
      log.warn("SKIPPED: {} is not there", what);
    }
    assumeTrue(there, what + " is not there");
  }

  private static boolean onPath(String program) {
    for (String part : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      if (Files.isExecutable(Path.of(part, program))) {
        return true;
      }
    }
    return false;
  }

  private Process spawn(String... command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve(started.size() + ".log").toFile())
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .start();
      started.add(process);
      return process;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs a program. Returns its output, followed by the exit code. */
  private String run(String input, String... command) {
    try {
      Path in = Files.writeString(directory.resolve("in"), input);
      Path out = directory.resolve("out");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(in.toFile())
              .redirectOutput(out.toFile())
              .start();
      started.add(process);
      assertThat(process.waitFor(60, TimeUnit.SECONDS))
          .as("%s ends; it printed %s", List.of(command), Files.readString(out))
          .isTrue();
      return Files.readString(out, StandardCharsets.ISO_8859_1) + "exit " + process.exitValue();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private String p() {
    return Integer.toString(port);
  }

  private String gearman(String input, String... more) {
    List<String> command = new ArrayList<>(List.of("gearman", "-h", "127.0.0.1", "-p", p()));
    command.addAll(List.of(more));
    return run(input, command.toArray(String[]::new));
  }

  private String gearadmin(String... more) {
    List<String> command = new ArrayList<>(List.of("gearadmin", "-h", "127.0.0.1", "-p", p()));
    command.addAll(List.of(more));
    return run("", command.toArray(String[]::new));
  }

  private void awaitWorkers(String function, int count) {
    RawPeer admin = fixture.peer();
    await()
        .untilAsserted(
            () ->
                assertThat(admin.adminList("status"))
                    .anyMatch(line -> line.matches(function + "\t\\d+\t\\d+\t" + count)));
  }

  @Test
  void gearmanToolsWorkInTheForegroundAndInTheBackground() {
    need(onPath("gearman"), "gearman (Debian: gearman-tools)");
    spawn("gearman", "-h", "127.0.0.1", "-p", p(), "-w", "-f", "wc", "--", "wc", "-c");
    awaitWorkers("wc", 1);
    assertThat(gearman("12345", "-f", "wc")).isEqualTo("5\nexit 0");
    assertThat(gearman("1234567", "-f", "wc", "-I")).isEqualTo("7\nexit 0");
    assertThat(gearman("123", "-f", "wc", "-L", "-u", "mine")).isEqualTo("3\nexit 0");
    assertThat(gearman("1\n22\n333\n", "-f", "wc", "-N")).contains("1\n", "2\n", "3\n");
    assertThat(gearman("12345678", "-f", "wc", "-b")).endsWith("exit 0");
    await()
        .untilAsserted(
            () -> assertThat(fixture.inspector.queue("wc").snapshot().processed()).isEqualTo(7));
    assertThat(fixture.size("wc", TaskState.PENDING)).isZero();
    assertThat(gearman("x", "-f", "undefined"))
        .contains("UNKNOWN_FUNCTION", "no task named \"undefined\" is defined");
  }

  @Test
  void largePayloadsAndResultsComeWhole() {
    need(onPath("gearman"), "gearman (Debian: gearman-tools)");
    // It reads all before it writes: the tool writes all before it reads.
    String program = "wc -c; head -c 3000000 /dev/zero | tr '\\0' y";
    spawn("gearman", "-h", "127.0.0.1", "-p", p(), "-w", "-f", "wc", "--", "sh", "-c", program);
    awaitWorkers("wc", 1);
    assertThat(gearman("x".repeat(3_000_000), "-f", "wc"))
        .isEqualTo("3000000\n" + "y".repeat(3_000_000) + "exit 0");
  }

  @Test
  void gearadminIsAnswered() {
    need(onPath("gearadmin"), "gearadmin (Debian: gearman-tools)");
    fixture.peer().submit(PacketType.SUBMIT_JOB_BG, "wc", "waits", "x");
    fixture.worker("wc").ask(PacketType.ECHO_RES, PacketType.ECHO_REQ, "");
    assertThat(gearadmin("--status")).contains("wc\t1\t0\t1\n", "work\t0\t0\t0\n", "exit 0");
    assertThat(gearadmin("--priority-status")).contains("wc\t0\t1\t0\t1\n");
    assertThat(gearadmin("--workers")).contains("127.0.0.1 - : wc\n");
    assertThat(gearadmin("--server-version")).contains("asynq4j");
    assertThat(gearadmin("--getpid")).contains(Long.toString(ProcessHandle.current().pid()));
    assertThat(gearadmin("--show-unique-jobs")).contains("waits\n");
    assertThat(gearadmin("--show-jobs")).contains(":waits\t");
    assertThat(gearadmin("--create-function", "wc")).contains("exit 0");
    gearadmin("--shutdown");
    assertThat(gearadmin("--status")).contains("wc\t1\t0\t1\n");
  }

  private void needPhp() {
    need(
        onPath("php") && run("", "php", "-m").contains("gearman"),
        "php with its gearman extension (Debian: php-gearman)");
  }

  private Process phpWorker() {
    try {
      Path program = Files.writeString(directory.resolve("worker.php"), PHP_WORKER);
      return spawn("php", program.toString(), p());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void phpClientsAndWorkersMoveOverByAnAddress() throws IOException {
    needPhp();
    phpWorker();
    awaitWorkers("work", 1);
    Path program = Files.writeString(directory.resolve("client.php"), PHP_CLIENT);
    assertThat(run("", "php", program.toString(), p()))
        .isEqualTo(
            """
            normal cba
            high hgih
            low wol
            fail reported
            background done
            complete zyx
            data part
            exception it broke
            status 1/2
            complete emas, complete emas
            exit 0\
            """);
  }

  @Test
  void aKilledPhpWorkerLosesItsJobToAnother() {
    needPhp();
    Process dying = phpWorker();
    awaitWorkers("work", 1);
    String handle = fixture.peer().submit(PacketType.SUBMIT_JOB_BG, "work", "killed", "slow");
    await()
        .untilAsserted(
            () -> assertThat(fixture.task("work", "killed").state()).isEqualTo(TaskState.ACTIVE));
    RawPeer other = fixture.worker("work").sleep();
    long begin = System.nanoTime();
    dying.descendants().forEach(ProcessHandle::destroyForcibly);
    dying.destroyForcibly();
    assertThat(other.work()).containsExactly(handle, "work", "slow");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
    assertThat(fixture.task("work", "killed").retried()).isZero();
  }

  @Test
  void aPhpWorkerExecutesTasksThatWereEnqueuedByOtherMeans() {
    needPhp();
    phpWorker();
    awaitWorkers("work", 1);
    RawPeer client = fixture.peer();
    String handle = client.submit(PacketType.SUBMIT_JOB, "work", "", "xyz");
    assertThat(client.expect(PacketType.WORK_STATUS)).containsExactly(handle, "1", "2");
    assertThat(client.expect(PacketType.WORK_DATA)).containsExactly(handle, "part");
    assertThat(client.expect(PacketType.WORK_COMPLETE)).containsExactly(handle, "zyx");
  }

  @Test
  void pythonClientsAndWorkersMoveOverByAnAddress() throws IOException {
    String packages = "PYTHONPATH=" + gear();
    String program =
        """
        import sys, threading, gear
        port = int(sys.argv[1])
        worker = gear.Worker('python')
        worker.addServer('127.0.0.1', port)
        worker.waitForServer()
        worker.registerFunction('work')
        def serve():
            for i in range(2):
                job = worker.getJob()
                job.sendWorkStatus(1, 4)
                job.sendWorkComplete(job.arguments[::-1])
        thread = threading.Thread(target=serve)
        thread.start()
        class Client(gear.Client):
            def handleWorkComplete(self, packet):
                job = super().handleWorkComplete(packet)
                print(''.join(job.data), int(job.numerator), int(job.denominator))
                done.release()
        done = threading.Semaphore(0)
        client = Client('client')
        client.addServer('127.0.0.1', port)
        client.waitForServer()
        for data in (b'abc', b'xyz'):
            client.submitJob(gear.TextJob('work', data))
            done.acquire()
        thread.join()
        """;
    Path file = Files.writeString(directory.resolve("client.py"), program);
    assertThat(run("", "env", packages, "python3", file.toString(), p()))
        .isEqualTo("cba 1 4\nzyx 1 4\nexit 0");
  }

  /** Where the package is, fetched if it has not been before. */
  private Path gear() {
    need(onPath("python3"), "python3");
    Path packages = Path.of("target", "python").toAbsolutePath();
    if (!hasGear(packages)) {
      String fetched =
          run(
              "",
              "python3",
              "-m",
              "pip",
              "install",
              "--disable-pip-version-check",
              "--retries=1",
              "--timeout=5",
              "--target=" + packages,
              "gear==0.16.0");
      need(hasGear(packages), "python3 with gear, which could not be fetched: " + fetched);
    }
    return packages;
  }

  private boolean hasGear(Path packages) {
    return run("", "env", "PYTHONPATH=" + packages, "python3", "-c", "import gear")
        .endsWith("exit 0");
  }
}
