package io.asynq4j.service.tasks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs programs in a session and process group of their own, which ends with all processes that
 * they started. Uses {@code setsid}, {@code prlimit} and {@code kill} of the system. Without them,
 * children are found by the JDK, and limits are not enforced. Thread-safe.
 */
public final class ProcessGroups {

  private static final Logger log = LoggerFactory.getLogger(ProcessGroups.class);

  private final Optional<String> setsid = find("setsid");
  private final Optional<String> prlimit = find("prlimit");
  private final Optional<String> kill = find("kill");

  private static Optional<String> find(String program) {
    return List.of("/usr/bin/", "/bin/").stream()
        .map(directory -> directory + program)
        .filter(path -> Files.isExecutable(Path.of(path)))
        .findFirst();
  }

  /**
   * Returns the command that runs in its own group. Both tools replace themselves by the program,
   * so the program has their pid.
   */
  List<String> command(List<String> program, long memory, Duration cpu) {
    List<String> command = new ArrayList<>();
    if (prlimit.isPresent() && (memory > 0 || !cpu.isZero())) {
      command.add(prlimit.get());
      if (memory > 0) {
        command.add("--as=" + memory);
      }
      if (!cpu.isZero()) {
        command.add("--cpu=" + Math.max(1, cpu.toSeconds()));
      }
    }
    setsid.ifPresent(command::add);
    command.addAll(program);
    return command;
  }

  /** Ends a program and all processes that it started: first with TERM, then with KILL. */
  void end(Process process, Duration grace) {
    List<ProcessHandle> children = process.descendants().toList();
    boolean wasAlive = process.isAlive();
    boolean interrupted = Thread.interrupted();
    try {
      if (wasAlive) {
        signal(process, "TERM");
        interrupted |= !await(process, grace);
      }
      signal(process, "KILL");
      process.destroyForcibly();
      // Processes that created a session of their own.
      children.forEach(ProcessHandle::destroyForcibly);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns false if interrupted. */
  private static boolean await(Process process, Duration timeout) {
    try {
      process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private void signal(Process process, String name) {
    if (setsid.isEmpty() || kill.isEmpty()) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
      return;
    }
    try {
      Process sent =
          new ProcessBuilder(kill.get(), "-" + name, "--", "-" + process.pid())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      await(sent, Duration.ofSeconds(2));
    } catch (IOException e) {
      log.warn("the processes of a task could not be ended: {}", e.getMessage());
    }
  }
}
