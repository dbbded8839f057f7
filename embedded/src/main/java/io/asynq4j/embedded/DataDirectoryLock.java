package io.asynq4j.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Prevents a second server from using a data directory: two would corrupt each other's append-only
 * file. The lock ends with the JVM, but its server ends a moment later, so the file also has the
 * server's process.
 */
final class DataDirectoryLock implements AutoCloseable {

  private static final String FILE = "asynq4j.lock";
  private static final Duration PREDECESSOR_END = Duration.ofSeconds(10);
  // The system reports the start relative to the boot time, and the clock may be adjusted.
  private static final long CLOCK_TOLERANCE_MILLIS = 2_000;

  private final FileChannel channel;

  private DataDirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  static DataDirectoryLock acquire(Path directory) {
    Path file = directory.resolve(FILE);
    FileChannel channel = null;
    try {
      Files.createDirectories(directory);
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        throw inUse(directory);
      }
      ByteBuffer content = ByteBuffer.allocate(64);
      channel.read(content, 0);
      String predecessor =
          new String(content.array(), 0, content.position(), StandardCharsets.UTF_8);
      if (!Poll.closely(PREDECESSOR_END, () -> !isRunning(predecessor))) {
        throw inUse(directory);
      }
      return new DataDirectoryLock(channel);
    } catch (OverlappingFileLockException e) {
      closeQuietly(channel);
      throw inUse(directory);
    } catch (IOException e) {
      closeQuietly(channel);
      throw new EmbeddedRedisException("Cannot use the data directory " + directory, e);
    } catch (EmbeddedRedisException e) {
      closeQuietly(channel);
      throw e;
    }
  }

  void heldBy(long pid) {
    try {
      channel.truncate(0);
      String identity = startOf(pid).map(start -> pid + " " + start).orElse("");
      channel.write(ByteBuffer.wrap(identity.getBytes(StandardCharsets.UTF_8)), 0);
    } catch (IOException e) {
      throw new EmbeddedRedisException("Cannot write the lock of the data directory", e);
    }
  }

  @Override
  public void close() {
    closeQuietly(channel);
  }

  private static boolean isRunning(String identity) {
    String[] parts = identity.split(" ", -1);
    return parts.length == 2
        && startOf(Long.parseLong(parts[0]))
            .map(start -> Math.abs(start - Long.parseLong(parts[1])) < CLOCK_TOLERANCE_MILLIS)
            .orElse(false);
  }

  /** A process ID may be reused, so the start time identifies the process too. */
  private static Optional<Long> startOf(long pid) {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .flatMap(process -> process.info().startInstant())
        .map(Instant::toEpochMilli);
  }

  private static EmbeddedRedisException inUse(Path directory) {
    return new EmbeddedRedisException(
        "The data directory "
            + directory
            + " is in use by another embedded Redis; close it, or choose another directory.");
  }

  private static void closeQuietly(@Nullable FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // The lock ends with the process at the latest.
      }
    }
  }
}
