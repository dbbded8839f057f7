package io.asynq4j.internal.broker;

import java.util.List;
import java.util.function.Consumer;

/**
 * The periodic entries of all schedulers, with what operators do to them; kept beyond the life of
 * any scheduler. Thread-safe.
 *
 * <p>What names an entry throws {@link io.asynq4j.ScheduleNotFoundException} when it is not known.
 */
public interface ScheduleStore extends ScheduleLedger {

  /** An entry that is known, whether or not a scheduler has it now. */
  record Known(Entry entry, State state) {}

  /**
   * An entry that is known but whose data cannot be read.
   *
   * @param queue as it is stored, valid or not
   * @param reason why it cannot be read
   */
  record Unreadable(String name, String queue, String reason) {}

  /** All entries that can be read, by name. */
  default List<Known> known() {
    return known(unreadable -> {});
  }

  /**
   * All entries that can be read, by name. A queue that must not be read, or whose server of a
   * cluster does not answer, hides no entry of other queues.
   *
   * @param broken called for each entry that cannot be read
   */
  List<Known> known(Consumer<Unreadable> broken);

  /** Whether an entry is listed, readable or not. */
  boolean isListed(String name);

  Known known(String name);

  /** Fires an entry no more until it is resumed. False when it was paused already. */
  boolean pause(String name);

  /**
   * Fires an entry again, beginning with its next instant: those that it was paused for are not
   * made up for. False when it was not paused.
   */
  boolean resume(String name);

  /**
   * Has the scheduler enqueue the task of an entry now, beside its schedule, paused or not. When no
   * scheduler hears of it within a minute, nothing happens. A second request before the first is
   * heard replaces it.
   */
  void requestRun(String name);
}
