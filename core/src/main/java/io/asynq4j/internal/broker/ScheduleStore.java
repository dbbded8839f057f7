package io.asynq4j.internal.broker;

import java.util.List;
import java.util.function.Consumer;

/**
 * The schedule entries of all schedulers and operator actions on them; persists independently of
 * schedulers. Thread-safe.
 *
 * <p>Methods that name an entry throw {@link io.asynq4j.ScheduleNotFoundException} if it is
 * unknown.
 */
public interface ScheduleStore extends ScheduleLedger {

  /** A known entry, whether or not a scheduler has it now. */
  record Known(Entry entry, State state) {}

  /**
   * A known entry whose data cannot be read.
   *
   * @param queue as it is stored, valid or not
   * @param reason why it cannot be read
   */
  record Unreadable(String name, String queue, String reason) {}

  /**
   * Returns all readable entries, by name. A queue that may not be read, or whose cluster node does
   * not answer, hides no entry of other queues.
   *
   * @param broken called for each entry that cannot be read
   */
  List<Known> known(Consumer<Unreadable> broken);

  /** Returns whether an entry is registered, readable or not. */
  boolean isListed(String name);

  /** Stops firing an entry until it is resumed. Returns false if it was already paused. */
  boolean pause(String name);

  /**
   * Resumes an entry from its next instant; instants during the pause are not made up for. Returns
   * false if it was not paused.
   */
  boolean resume(String name);

  /**
   * Requests that a scheduler enqueues the task of an entry now, outside of its schedule, paused or
   * not. The request expires after a minute. A second request replaces a pending one.
   */
  void requestRun(String name);
}
