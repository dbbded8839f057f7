package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The progress of schedule entries and the election of the leader that fires them. Thread-safe. */
public interface ScheduleLedger {

  /** The maximum number of firings per call of {@link #fire}. */
  int MOST_FIRINGS = 50;

  /**
   * An entry as the ledger needs it.
   *
   * @param name the same in all processes that have the entry, and unique among entries
   * @param queue the queue of its tasks and of its state
   */
  record Entry(String name, QueueName queue, String spec) {}

  /**
   * The progress of an entry.
   *
   * @param anchor where the periods of an {@code @every} entry begin
   * @param from instants before this do not count: when the entry was enrolled with its spec, or
   *     resumed
   * @param last the instant that was fired last; null if none was
   * @param pausedSince null if it is not paused
   * @param runRequested when an operator requested a run that has not happened yet; null if there
   *     is none
   */
  record State(
      Instant anchor,
      Instant from,
      @Nullable Instant last,
      @Nullable Instant pausedSince,
      @Nullable Instant runRequested) {

    /** The state of a new entry. */
    public static State from(Instant now) {
      return new State(now, now, null, null, null);
    }

    public boolean paused() {
      return pausedSince != null;
    }

    /** Instants up to this one have been fired, or never will be. */
    public Instant decided() {
      return last != null && last.isAfter(from) ? last : from;
    }

    public State fired(Instant instant) {
      return new State(anchor, from, instant, pausedSince, runRequested);
    }

    public State withoutRequest() {
      return new State(anchor, from, last, pausedSince, null);
    }
  }

  /**
   * A task for an entry to enqueue.
   *
   * @param decided the entry's progress as known to the caller; null for a requested run
   * @param instant the instant that it fires for, or when the run was requested
   */
  record Firing(String entry, @Nullable Instant decided, Instant instant, NewTask task) {}

  /**
   * Makes a scheduler the leader of a group of entries, or keeps it leader, for the duration {@code
   * ttl}. Returns false if another one leads. This only saves work: if two schedulers fire an
   * entry, it still fires once.
   */
  boolean lead(String group, String schedulerId, Duration ttl);

  /** Gives up leadership, so that another scheduler can lead at once. */
  void resign(String group, String schedulerId);

  /**
   * Enrolls entries and returns their progress. A new entry, or one with a changed spec, starts
   * now.
   */
  Map<String, State> enroll(Collection<Entry> entries);

  /** Returns the progress of entries; unknown ones are left out. */
  Map<String, State> look(Collection<Entry> entries);

  /** Returns a number that changes with each operator action. */
  long revision();

  /**
   * Enqueues each task, unless its entry has advanced beyond the caller's knowledge, is paused, or
   * the request is gone. The same atomic step advances the entry, whatever the result of the task.
   *
   * @return the result of each task; null for one that was not fired
   */
  List<@Nullable EnqueueReply> fire(QueueName queue, List<Firing> firings);

  /** Deletes all data of an entry. */
  void forget(String name);
}
