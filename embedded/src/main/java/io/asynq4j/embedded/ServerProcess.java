package io.asynq4j.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A server and its watchdog shell, which ends the server when this JVM ends, however that happens.
 * Thread-safe.
 */
final class ServerProcess {

  /**
   * The shell's standard input is a pipe whose other end only this JVM holds: it reads the end of
   * file when the JVM is gone, even by SIGKILL. A second shell does that reading, since the first
   * has to wait for the server in order to end with it. The server gets a process group of its own
   * where that is possible: Ctrl-C at the terminal is for the application, which may still need its
   * Redis in order to shut down.
   */
  private static final String WATCHDOG =
      """
      trap '' HUP INT QUIT TERM
      directory=$1
      shift
      exec 3<&0 </dev/null
      if command -v setsid >/dev/null 2>&1; then
        set -- setsid "$@"
      elif command -v perl >/dev/null 2>&1; then
        set -- perl -e 'setpgrp(0, 0); exec { $ARGV[0] } @ARGV or exit 127' "$@"
      fi
      "$@" 3<&- >&2 &
      server=$!
      echo "$server"
      exec >/dev/null
      {
        read -r end <&3
        : >"$directory/orphaned"
        kill -TERM "$server"
        kill -CONT "$server"
        waited=0
        while [ "$waited" -lt 50 ] && kill -0 "$server"; do
          sleep 0.1 || sleep 1
          waited=$((waited + 1))
        done
        kill -KILL "$server"
      } 2>/dev/null &
      watcher=$!
      exec 3<&-
      wait "$server"
      status=$?
      exec 2>/dev/null
      kill -KILL "$watcher"
      wait "$watcher"
      if [ -e "$directory/orphaned" ]; then
        cd / && rm -rf "$directory"
      fi
      exit "$status"
      """;

  private static final Duration WATCHDOG_END = Duration.ofSeconds(2);

  // A garbage-collected process object closes its pipe: a caller that keeps only the URI would lose
  // the server.
  private static final Set<ServerProcess> RUNNING = ConcurrentHashMap.newKeySet();

  private final Process watchdog;
  private final long pid;
  private final Optional<ProcessHandle> server;

  private ServerProcess(Process watchdog, long pid) {
    this.watchdog = watchdog;
    this.pid = pid;
    this.server = ProcessHandle.of(pid);
  }

  /**
   * Starts the command, whose output goes to the file.
   *
   * @param directory removed by the watchdog if the JVM dies
   */
  static ServerProcess start(List<String> command, Path directory, Path log) {
    List<String> whole = new ArrayList<>(List.of("sh", "-c", WATCHDOG, "asynq4j-redis-watchdog"));
    whole.add(directory.toString());
    whole.addAll(command);
    try {
      Process watchdog =
          new ProcessBuilder(whole)
              .directory(directory.toFile())
              .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      BufferedReader output = watchdog.inputReader(StandardCharsets.UTF_8);
      String pid = output.readLine();
      if (pid == null) {
        throw new EmbeddedRedisException("The shell that starts Redis failed: " + tail(log));
      }
      ServerProcess process = new ServerProcess(watchdog, Long.parseLong(pid.strip()));
      RUNNING.add(process);
      return process;
    } catch (IOException e) {
      throw new EmbeddedRedisException("Cannot run the shell 'sh' that starts Redis", e);
    }
  }

  static String tail(Path log) {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    } catch (IOException e) {
      return "";
    }
  }

  long pid() {
    return pid;
  }

  boolean isAlive() {
    return server.isPresent() && server.get().isAlive();
  }

  /** Requests the server to end, and kills it after {@code patience}. */
  void terminate(Duration patience) {
    try {
      server.ifPresent(ProcessHandle::destroy);
      if (isAlive()) {
        // A paused process gets the signal when it continues.
        signal("CONT");
        Poll.closely(patience, () -> !isAlive());
      }
    } finally {
      kill();
    }
  }

  void kill() {
    server.ifPresent(ProcessHandle::destroyForcibly);
    boolean interrupted = false;
    try {
      if (!watchdog.waitFor(WATCHDOG_END.toMillis(), TimeUnit.MILLISECONDS)) {
        watchdog.destroyForcibly();
      }
      watchdog.getOutputStream().close();
      watchdog.getInputStream().close();
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (IOException e) {
      // The pipes are already closed with the watchdog.
    }
    RUNNING.remove(this);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  void pause() {
    signal("STOP");
    Path status = Path.of("/proc", Long.toString(pid), "stat");
    // The signal is delivered in the background; where the system reports the status, wait for its
    // effect.
    if (Files.isReadable(status)) {
      Poll.closely(Duration.ofSeconds(2), () -> isStopped(status));
    }
  }

  void resume() {
    signal("CONT");
  }

  private static boolean isStopped(Path status) {
    try {
      String text = Files.readString(status, StandardCharsets.ISO_8859_1);
      return text.startsWith(" T", text.lastIndexOf(')') + 1);
    } catch (IOException e) {
      return true;
    }
  }

  /** Java sends only two signals; the shell's built-in {@code kill} exists on every system. */
  private void signal(String name) {
    try {
      Process kill =
          new ProcessBuilder("sh", "-c", "kill -\"$1\" \"$2\"", "sh", name, Long.toString(pid))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (kill.waitFor() != 0 && isAlive()) {
        throw new EmbeddedRedisException("Cannot send SIG" + name + " to process " + pid);
      }
    } catch (IOException e) {
      throw new EmbeddedRedisException("Cannot send SIG" + name + " to process " + pid, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedRedisException("Interrupted while signalling process " + pid, e);
    }
  }
}
