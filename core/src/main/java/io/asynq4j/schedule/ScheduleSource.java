package io.asynq4j.schedule;

import java.util.List;

/**
 * Where a scheduler finds entries that come and go, such as a table of a database. Asked again and
 * again, by one thread of the scheduler.
 */
@FunctionalInterface
public interface ScheduleSource {

  /**
   * All entries as they are now. One that is no longer among them is forgotten; one that is
   * unchanged goes on as if nothing had happened. When this throws, or names an entry twice, the
   * scheduler goes on with what it has, and asks again later.
   */
  List<ScheduleEntry> entries() throws Exception;
}
