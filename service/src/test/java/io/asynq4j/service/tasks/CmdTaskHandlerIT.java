package io.asynq4j.service.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.TaskService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Hosted tasks that run programs. */
@TestInstance(Lifecycle.PER_CLASS)
class CmdTaskHandlerIT {

  @TempDir private static Path directory;

  private ServiceFixture fixture;
  private TaskService service;

  @BeforeAll
  void start() {
    fixture = new ServiceFixture();
    service = fixture.start(yaml());
  }

  private String yaml() {
    return """
    shutdownTimeout: 500ms
    tasks:
      cat: { kind: cmd, retention: 1h, cmd: { program: /bin/cat } }
      big: { kind: cmd, retention: 1h, cmd: { program: /bin/sh, args: [-c, "head -c 100000 /dev/zero | tr '\\\\0' x; cat >/dev/null"], resultLimit: 1KiB } }
      args: { kind: cmd, retention: 1h, cmd: { program: /usr/bin/printf, args: ["%%s|", "{params.a}", "x={params.b}"] } }
      env: { kind: cmd, retention: 1h, cmd: { program: /usr/bin/env, env: { WHO: "{params.who}" } } }
      fails: { kind: cmd, cmd: { program: /bin/sh, args: [-c, "echo first >&2; head -c 5000 /dev/zero | tr '\\\\0' y >&2; echo the end >&2; exit 3"] } }
      later: { kind: cmd, cmd: { program: /bin/sh, args: [-c, "exit 75"], snooze: 1h } }
      tree: { kind: cmd, timeout: 1s, cmd: { program: /bin/sh, args: [-c, "trap '' TERM; sleep 300 & echo $! > %1$s/child; echo $$ > %1$s/leader; wait; sleep 300"], killGrace: 100ms } }
      stops: { kind: cmd, cmd: { program: /bin/sh, args: [-c, "sleep 300 & echo $! > %1$s/stopped; wait"], killGrace: 100ms } }
      memory: { kind: cmd, retries: 0, cmd: { program: /usr/bin/head, args: ["-c", "1", "/dev/zero"], memory: 1MiB } }
    """
        .formatted(directory);
  }

  @AfterAll
  void stop() {
    fixture.close();
  }

  private TaskInfo run(String name, String params, TaskState expected) {
    String body = "{\"name\":\"%s\",\"id\":\"1\",\"params\":%s}".formatted(name, params);
    assertThat(fixture.post("/v1/tasks", body).status()).isEqualTo(201);
    await().until(() -> fixture.inspector.queue(name).task("1").state() == expected);
    return fixture.inspector.queue(name).task("1");
  }

  @Test
  void theParamsComeOnStandardInputAndTheOutputIsTheResult() {
    assertThat(run("cat", "{\"a\":1}", TaskState.COMPLETED).result().utf8()).isEqualTo("{\"a\":1}");
  }

  @Test
  void aLargeOutputIsCut() {
    assertThat(run("big", "{}", TaskState.COMPLETED).result().utf8()).isEqualTo("x".repeat(1024));
  }

  @Test
  void paramsFillOnlyTheirPlacesAndNoShellSeesThem() {
    TaskInfo task = run("args", "{\"a\":\"$(id); `id` 'q'\",\"b\":5}", TaskState.COMPLETED);
    assertThat(task.result().utf8()).isEqualTo("$(id); `id` 'q'|x=5|");
  }

  @Test
  void theEnvironmentIsWhatIsDeclaredAndNotThatOfTheService() {
    String environment = run("env", "{\"who\":\"me\"}", TaskState.COMPLETED).result().utf8();
    assertThat(environment.lines())
        .contains("WHO=me", "ASYNQ_TASK_ID=1", "ASYNQ_TASK_NAME=env", "ASYNQ_ATTEMPT=1")
        .allMatch(
            line -> line.matches("(WHO|ASYNQ_[A-Z_]+|PATH|HOME|LANG|LC_ALL|TZ|PWD|SHLVL|_)=.*"));
  }

  @Test
  void theEndOfStandardErrorIsTheErrorOfAFailure() {
    TaskInfo task = run("fails", "{}", TaskState.RETRY);
    assertThat(task.lastError()).startsWith("sh exited with code 3: ").endsWith("the end");
    assertThat(task.lastError()).doesNotContain("first").hasSizeLessThan(1_700);
  }

  @Test
  void exitCode75Snoozes() {
    TaskInfo task = run("later", "{}", TaskState.SCHEDULED);
    assertThat(task.retried()).isZero();
    assertThat(task.nextProcessAt())
        .isAfter(fixture.redis.clock().instant().plus(Duration.ofMinutes(59)));
  }

  @Test
  void aTimeoutEndsTheProgramWithItsChildren() throws IOException {
    TaskInfo task = run("tree", "{}", TaskState.RETRY);
    assertThat(task.lastError()).contains("deadline");
    await().until(() -> !isAlive(directory.resolve("child")));
    await().until(() -> !isAlive(directory.resolve("leader")));
  }

  private static boolean isAlive(Path file) throws IOException {
    long pid = Long.parseLong(Files.readString(file).strip());
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  @Test
  void memoryIsLimitedWhereTheSystemCan() {
    assumeTrue(
        new ProcessGroups().command(List.of("true"), 1, Duration.ZERO).contains("--as=1"),
        "there is no prlimit here");
    assertThat(run("memory", "{}", TaskState.ARCHIVED).lastError()).contains("exited with code");
  }

  @Test
  void aShutdownEndsProgramsAndPutsTheirTasksBack() throws IOException {
    try (ServiceFixture own = new ServiceFixture()) {
      TaskService replica = own.start(yaml());
      own.post("/v1/tasks", "{\"name\":\"stops\",\"id\":\"1\"}");
      await().until(() -> Files.exists(directory.resolve("stopped")));
      await().until(() -> !Files.readString(directory.resolve("stopped")).isBlank());
      replica.close();
      assertThat(own.inspector.queue("stops").task("1").state()).isEqualTo(TaskState.PENDING);
      await().until(() -> !isAlive(directory.resolve("stopped")));
    }
    assertThat(service.port()).isPositive();
  }
}
