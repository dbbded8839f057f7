package io.asynq4j.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/** The temporary directory of a server: its configuration, its log, and ephemeral data. */
final class RunDirectory {

  private final Path path;

  private RunDirectory(Path path) {
    this.path = path;
  }

  static RunDirectory create() throws IOException {
    return new RunDirectory(Files.createTempDirectory("asynq4j-redis-"));
  }

  Path path() {
    return path;
  }

  Path createDataDirectory() throws IOException {
    return Files.createDirectory(path.resolve("data"));
  }

  Path configFile() {
    return path.resolve("redis.conf");
  }

  /** Writes the file readable by this user only, since it may contain a password. */
  void writeConfigFile(String content) {
    try {
      Path file = configFile();
      Files.deleteIfExists(file);
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, content);
    } catch (IOException e) {
      throw new EmbeddedRedisException("Cannot write the configuration of Redis", e);
    }
  }

  /** Returns an empty log for the next start. */
  Path newLog() {
    Path log = path.resolve("redis.log");
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new EmbeddedRedisException("Cannot delete " + log, e);
    }
    return log;
  }

  void delete() {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // The system cleans the temporary directory; this must not fail a shutdown.
      path.toFile().deleteOnExit();
    }
  }
}
