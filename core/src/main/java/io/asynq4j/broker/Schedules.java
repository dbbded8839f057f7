package io.asynq4j.broker;

import java.util.List;

/**
 * The periodic entries of all schedulers, with what operators do to them; kept beyond the life of
 * any scheduler. Thread-safe.
 *
 * <p>What names an entry throws {@link io.asynq4j.ScheduleNotFoundException} when it is not known.
 */
public interface Schedules extends ScheduleLedger {

  /** An entry that is known, whether or not a scheduler has it now. */
  record Known(Entry entry, State state) {}

  /** All entries, by name. */
  List<Known> known();

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
