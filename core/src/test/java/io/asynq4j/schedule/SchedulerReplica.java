package io.asynq4j.schedule;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A scheduler in a separate process, which a test kills or suspends. */
final class SchedulerReplica implements AutoCloseable {

  static final String QUEUE = "replicas";
  static final String INSTANT = "instant";

  private final Process process;
  private boolean asleep;

  private SchedulerReplica(Process process) {
    this.process = process;
  }

  /** The program of the process: entries that fire each second and make up for all they missed. */
  @SuppressWarnings("SystemOut") // read by the process that started it
  public static void main(String[] arguments) throws IOException {
    int entries = Integer.parseInt(arguments[1]);
    try (RedisConnection redis = RedisConnection.open(arguments[0])) {
      Scheduler.Builder builder =
          Scheduler.builder(redis).instantHeader(INSTANT).leaderLease(Duration.parse(arguments[2]));
      for (int i = 0; i < entries; i++) {
        builder.add(
            ScheduleEntry.of(
                    "e" + i, Schedule.of("@every 1s"), Task.of("t", Payload.ofUtf8("e" + i)))
                .with(o -> o.queue(QUEUE))
                .missed(MissedPolicy.runAll(1_000)));
      }
      try (Scheduler scheduler = builder.build()) {
        scheduler.start();
        System.out.println("ready");
        int end = System.in.read();
        System.out.println("asked to end: " + end);
      }
    }
  }

  static SchedulerReplica start(String uri, int entries, Duration lease) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx96m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            System.getProperty("java.class.path"),
            SchedulerReplica.class.getName(),
            uri,
            Integer.toString(entries),
            lease.toString());
    try {
      return new SchedulerReplica(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void awaitReady() {
    try {
      String line = process.inputReader().readLine();
      if (!"ready".equals(line)) {
        throw new IllegalStateException("a replica said " + line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAsleep() {
    return asleep;
  }

  void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops all of its threads at once, in the middle of whatever they do. */
  void putToSleep() {
    signal("STOP");
    asleep = true;
  }

  void wakeUp() {
    signal("CONT");
    asleep = false;
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops it, and waits until it has ended. */
  @Override
  public void close() {
    try {
      if (asleep) {
        wakeUp();
      }
      process.getOutputStream().close();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (IOException e) {
      kill();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
