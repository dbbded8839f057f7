package io.asynq4j.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A control group of Linux that limits the threads of a process from outside. */
final class PidsCgroup implements AutoCloseable {

  private static final Path ROOT = Path.of("/sys/fs/cgroup");

  private final Path folder;

  private PidsCgroup(Path folder) {
    this.folder = folder;
  }

  /**
   * A group with this process; empty where this user may not make one, or threads are not counted.
   */
  static Optional<PidsCgroup> of(Process process) {
    Path parent = Files.isDirectory(ROOT.resolve("pids")) ? ROOT.resolve("pids") : ROOT;
    Path folder = parent.resolve("asynq4j-test-" + process.pid());
    try {
      Files.createDirectory(folder);
    } catch (IOException e) {
      return Optional.empty();
    }
    PidsCgroup group = new PidsCgroup(folder);
    try {
      // First what fails where threads are not counted: a group with a process cannot be deleted.
      group.startAny();
      Files.writeString(folder.resolve("cgroup.procs"), Long.toString(process.pid()));
      return Optional.of(group);
    } catch (IOException e) {
      group.close();
      return Optional.empty();
    }
  }

  /** Lets no further thread start. */
  void startNoMore() throws IOException {
    limit("1");
  }

  void startAny() throws IOException {
    limit("max");
  }

  /** Number of threads that could not be started. */
  long refused() throws IOException {
    return Files.readAllLines(folder.resolve("pids.events")).stream()
        .filter(line -> line.startsWith("max "))
        .mapToLong(line -> Long.parseLong(line.substring(4)))
        .sum();
  }

  private void limit(String threads) throws IOException {
    Files.writeString(folder.resolve("pids.max"), threads);
  }

  /** Works once the process has ended. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw new IllegalStateException("cannot delete " + folder, e);
    }
  }
}
