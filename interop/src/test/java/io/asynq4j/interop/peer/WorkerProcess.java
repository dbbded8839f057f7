package io.asynq4j.interop.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A worker or scheduler in its own process that reports events as JSON lines. */
public final class WorkerProcess implements AutoCloseable {

  private static final Duration SOON = Duration.ofSeconds(60);

  /**
   * An event that a worker reports.
   *
   * @param event ready, started, finished (by the handler), settled and lost (reported by Java
   *     only), registered (by a scheduler), acquired, refused and released (of a semaphore)
   * @param payload in Base64
   * @param deadline Unix seconds
   * @param at when a task was started, in Unix milliseconds
   */
  public record Event(
      String event,
      @Nullable String id,
      @Nullable String queue,
      @Nullable String type,
      @Nullable String payload,
      @Nullable Map<String, String> headers,
      int retried,
      int maxRetry,
      long deadline,
      @Nullable String error,
      long at) {

    /** Empty fields are not reported. */
    public Map<String, String> headersOrNone() {
      return headers == null ? Map.of() : headers;
    }

    public byte[] bytes() {
      return payload == null ? new byte[0] : Base64.getDecoder().decode(payload);
    }
  }

  private final Process process;
  private final List<Event> events = new CopyOnWriteArrayList<>();

  private WorkerProcess(Process process) {
    this.process = process;
  }

  /** Starts the process with this input, and returns when it reports that it is ready. */
  public static WorkerProcess start(List<String> command, String input, Path log) {
    try {
      WorkerProcess worker =
          new WorkerProcess(
              new ProcessBuilder(command)
                  .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                  .start());
      try (Writer writer = worker.process.outputWriter()) {
        writer.write(input);
      }
      Thread reader = new Thread(worker::read, "events of " + worker.process.pid());
      reader.setDaemon(true);
      reader.start();
      worker.await("ready", null);
      return worker;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    // What has come together is added together: each addition copies the list.
    try (BufferedReader lines = process.inputReader()) {
      String line;
      List<Event> fresh = new ArrayList<>();
      while ((line = lines.readLine()) != null) {
        fresh.add(GoPeer.JSON.readValue(line, Event.class));
        if (!lines.ready()) {
          events.addAll(fresh);
          fresh.clear();
        }
      }
      events.addAll(fresh);
    } catch (IOException e) {
      // The worker was killed.
    }
  }

  public List<Event> events(String kind) {
    return events.stream().filter(event -> event.event.equals(kind)).toList();
  }

  /** Waits until it has reported this event for a task, or for any. */
  public Event await(String kind, @Nullable String id) {
    return Awaitility.await(kind + " " + id)
        .pollInterval(Duration.ofMillis(10))
        .until(
            () ->
                events(kind).stream()
                    .filter(event -> id == null || id.equals(event.id))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /** Waits until it has reported this event this many times. */
  public void awaitCount(String kind, int count) {
    Awaitility.await(count + " times " + kind)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> events(kind).size() >= count);
  }

  public long pid() {
    return process.pid();
  }

  /** As the kernel does it to a process that takes too much memory: no goodbye. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /**
   * Stops its threads, as a machine does that is put to sleep, and returns when all have stopped:
   * on a busy machine, some still run after the signal was sent.
   */
  public void stall() {
    signal("STOP");
    Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
    if (Files.isDirectory(threads)) {
      Awaitility.await("stop of process " + process.pid())
          .pollInterval(Duration.ofMillis(5))
          .until(() -> areStopped(threads));
    }
  }

  private static boolean areStopped(Path threads) throws IOException {
    try (Stream<Path> each = Files.list(threads)) {
      for (Path thread : each.toList()) {
        // The state comes after the name, which may contain anything.
        String stat = Files.readString(thread.resolve("stat"));
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    }
  }

  public void wakeUp() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Asks it to end, and waits until it has. */
  @Override
  public void close() {
    process.destroy();
    awaitEnd();
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException("the worker did not end within " + SOON);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
