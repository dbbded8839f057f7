package io.asynq4j.internal.schedule;

import io.asynq4j.schedule.ScheduleEntry;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** The entries of a scheduler: added ones, and those of its source. Thread-safe. */
public final class ScheduleEntryRegistry {

  private final Map<String, ScheduleEntry> added = new LinkedHashMap<>();
  private Map<String, ScheduleEntry> sourced = Map.of();
  private Map<String, ScheduleEntry> all = Map.of();

  public synchronized void add(ScheduleEntry entry) {
    if (all.containsKey(entry.name())) {
      throw twice(entry.name());
    }
    added.put(entry.name(), entry);
    changed();
  }

  /** Returns false if no entry with this name was added. */
  public synchronized boolean remove(String name) {
    if (added.remove(name) == null) {
      return false;
    }
    changed();
    return true;
  }

  /** Replaces all entries of the source. */
  synchronized void replaceSourced(Collection<ScheduleEntry> entries) {
    Map<String, ScheduleEntry> fresh = new LinkedHashMap<>();
    for (ScheduleEntry entry : entries) {
      if (added.containsKey(entry.name()) || fresh.put(entry.name(), entry) != null) {
        throw twice(entry.name());
      }
    }
    if (!fresh.equals(sourced)) {
      sourced = fresh;
      changed();
    }
  }

  private static IllegalArgumentException twice(String name) {
    return new IllegalArgumentException(
        "duplicate schedule entry \"" + name + "\"; each entry needs a unique name");
  }

  private void changed() {
    Map<String, ScheduleEntry> both = new LinkedHashMap<>(added);
    both.putAll(sourced);
    all = both;
  }

  /** Returns an immutable map; a new instance after each change. */
  public synchronized Map<String, ScheduleEntry> all() {
    return all;
  }
}
