package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How far periodic entries are, and who sees to them. Thread-safe. */
public interface ScheduleLedger {

  /** What one call of {@link #fire} carries at most. */
  int MOST_FIRINGS = 50;

  /**
   * An entry, as far as the ledger is concerned.
   *
   * @param name the same in all processes that have the entry, and of no other entry
   * @param queue where its tasks go, and its state with them
   */
  record Entry(String name, QueueName queue, String spec) {}

  /**
   * How far an entry is.
   *
   * @param anchor where the periods of an {@code @every} entry begin
   * @param from what came before this does not count: since then it has been known with its spec,
   *     or not been paused
   * @param last the instant that was fired last; null when none was
   * @param pausedSince null when it is not paused
   * @param runRequested when an operator asked for a run beside the schedule that has not been yet;
   *     null when none did
   */
  record State(
      Instant anchor,
      Instant from,
      @Nullable Instant last,
      @Nullable Instant pausedSince,
      @Nullable Instant runRequested) {

    /** Of an entry that begins. */
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
   * A task that an entry is to enqueue.
   *
   * @param decided how far the caller believes the entry to be; null for a run that was requested
   * @param instant the instant that it stands for, or when the run was requested
   */
  record Firing(String entry, @Nullable Instant decided, Instant instant, NewTask task) {}

  /**
   * Makes a scheduler the one that sees to a group of entries, or lets it go on, for so long. False
   * when another does. This only saves work: what two schedulers do at once is still done once.
   */
  boolean lead(String group, String schedulerId, Duration ttl);

  /** Leads no longer, so that another can at once. */
  void resign(String group, String schedulerId);

  /**
   * Makes entries known, and tells how far they are. One that is new, or has another spec than
   * before, begins now.
   */
  Map<String, State> enroll(Collection<Entry> entries);

  /** How far entries are; those that are not known are left out. */
  Map<String, State> look(Collection<Entry> entries);

  /** Another number after each change by an operator. */
  long revision();

  /**
   * Enqueues each task, unless its entry is further than the caller believes, or paused, or the
   * request is gone. In the same step the entry gets so far, whatever becomes of the task.
   *
   * @return for each what became of its task; null for one that was not to be fired
   */
  List<@Nullable EnqueueReply> fire(QueueName queue, List<Firing> firings);

  /** Forgets all about an entry. */
  void forget(String name);
}
