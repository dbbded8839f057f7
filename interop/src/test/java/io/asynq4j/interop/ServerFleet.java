package io.asynq4j.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Server processes of both kinds that are killed and replaced, and the events they reported. */
final class ServerFleet implements AutoCloseable {

  /** How a process of a kind is started. */
  record Kind(String name, List<String> command) {}

  /** One process and its events. */
  static final class Member {
    private final String kind;
    private long doomedAt;
    private long killedAt;

    Member(String kind) {
      this.kind = kind;
    }

    @Override
    public String toString() {
      return kind + (wasKilled() ? ", killed at " + killedAt : "");
    }

    String kind() {
      return kind;
    }

    void killed(long doomed, long gone) {
      doomedAt = doomed;
      killedAt = gone;
    }

    boolean wasKilled() {
      return killedAt != 0;
    }

    /** When it was about to be killed, in milliseconds; it may still report events after that. */
    long doomedAt() {
      return doomedAt;
    }
  }

  private record Running(Member member, Kind kind, Path log, Process process) {
    boolean isReady() {
      return lines(log).stream().anyMatch(line -> line.contains(" ready "));
    }
  }

  private final Path directory;
  private final List<Running> all = new ArrayList<>();
  private final List<Running> places = new ArrayList<>();

  ServerFleet(Path directory, List<Kind> kinds) {
    this.directory = directory;
    for (Kind kind : kinds) {
      places.add(start(kind));
    }
  }

  private Running start(Kind kind) {
    try {
      Path log = Files.createTempFile(directory, kind.name, ".log");
      Process process =
          new ProcessBuilder(kind.command)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .redirectError(
                  ProcessBuilder.Redirect.appendTo(directory.resolve("errors.txt").toFile()))
              .start();
      Running running = new Running(new Member(kind.name), kind, log, process);
      all.add(running);
      return running;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int size() {
    return places.size();
  }

  boolean allReady() {
    return places.stream().allMatch(Running::isReady);
  }

  /** Kills the process in one place, and starts another of its kind. */
  void replace(int place) throws InterruptedException {
    Running victim = places.get(place);
    long doomed = System.currentTimeMillis();
    victim.process.destroyForcibly().waitFor();
    victim.member.killed(doomed, System.currentTimeMillis());
    places.set(place, start(victim.kind));
  }

  List<Member> members() {
    return all.stream().map(Running::member).toList();
  }

  /** Stops all live processes, and waits until they have ended. */
  @Override
  public void close() {
    places.forEach(running -> running.process.destroy());
    for (Running running : places) {
      try {
        if (!running.process.waitFor(20, TimeUnit.SECONDS)) {
          running.process.destroyForcibly();
          throw new IllegalStateException("a " + running.kind.name + " process did not end");
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /**
   * An attempt at a task.
   *
   * @param end milliseconds; 0 if no end was reported
   * @param outcome done, failed, archive, or nothing
   * @param tasks of the group that the task was made of
   */
  record Attempt(
      Member member,
      String id,
      String queue,
      int retried,
      long start,
      long end,
      String outcome,
      List<String> tasks) {

    private Attempt ended(long at, String how) {
      return new Attempt(member, id, queue, retried, start, at, how, tasks);
    }
  }

  /** A process lost the lease of a task that it ran. */
  record Loss(Member member, String id, long at) {}

  /** Tasks of a group became one, which was then to be enqueued. */
  record Joining(Member member, String id, long at, List<String> tasks) {}

  /** Attempts and losses by task, and what was joined, by the id of what it became. */
  record Events(
      Map<String, List<Attempt>> attempts,
      Map<String, List<Loss>> lost,
      Map<String, Joining> joined) {}

  /** All reported attempts by task, in the order of their starts. */
  Events events() {
    Map<Member, List<String>> logs = new LinkedHashMap<>();
    all.forEach(running -> logs.put(running.member, lines(running.log)));
    return events(logs);
  }

  static Events events(Map<Member, List<String>> logs) {
    Events events = new Events(new HashMap<>(), new HashMap<>(), new HashMap<>());
    logs.forEach((member, lines) -> read(member, lines, events));
    events.attempts.values().forEach(one -> one.sort(Comparator.comparingLong(Attempt::start)));
    return events;
  }

  private static void read(Member member, List<String> lines, Events events) {
    Map<String, Attempt> open = new HashMap<>();
    for (String line : lines) {
      String[] words = line.strip().split(" ", -1);
      long at = Long.parseLong(words[0]);
      switch (words[1]) {
        case "ready" -> {}
        case "start" -> {
          List<String> tasks = List.of(words).subList(5, words.length);
          int retried = Integer.parseInt(words[4]);
          Attempt one = new Attempt(member, words[2], words[3], retried, at, 0, "", tasks);
          Attempt before = open.put(words[2], one);
          if (before != null) {
            add(events.attempts, before);
          }
        }
        case "lost" ->
            events
                .lost
                .computeIfAbsent(words[2], id -> new ArrayList<>())
                .add(new Loss(member, words[2], at));
        case "joined" -> {
          List<String> tasks = List.of(words).subList(3, words.length);
          events.joined.put(words[2], new Joining(member, words[2], at, tasks));
        }
        default -> {
          Attempt one = open.remove(words[2]);
          if (one == null) {
            throw new IllegalStateException("an end without a beginning: " + line);
          }
          add(events.attempts, one.ended(at, words[1]));
        }
      }
    }
    open.values().forEach(one -> add(events.attempts, one));
  }

  private static void add(Map<String, List<Attempt>> attempts, Attempt attempt) {
    attempts.computeIfAbsent(attempt.id, id -> new ArrayList<>()).add(attempt);
  }

  /** Whole lines: the last one may have been cut off by a kill. */
  private static List<String> lines(Path log) {
    try {
      String text = Files.readString(log);
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
