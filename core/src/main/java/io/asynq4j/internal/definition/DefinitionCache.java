package io.asynq4j.internal.definition;

import io.asynq4j.definition.TaskDefinition;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The task definitions as they were last read, together with a value that its user derives from
 * them. Thread-safe. Reads do not wait for each other: one that began later wins.
 *
 * @param <V> the derived value
 */
public final class DefinitionCache<V> {

  private final Supplier<Map<String, TaskDefinition>> source;
  private final Function<DefinitionSnapshot, V> derive;
  private final LongSupplier nanos;
  private DefinitionSnapshot definitions = new DefinitionSnapshot(Map.of());
  private volatile V current;

  /** When the last read began, by {@link #nanos}; null if there was none. */
  private @Nullable Long readAt;

  /**
   * Creates a cache of no definitions, until the first {@link #refresh}.
   *
   * @param source reads all definitions, by name
   * @param derive called under a lock whenever the definitions have changed; must not block
   */
  public DefinitionCache(
      Supplier<Map<String, TaskDefinition>> source, Function<DefinitionSnapshot, V> derive) {
    this(source, derive, System::nanoTime);
  }

  /**
   * @param nanos a timer such as {@code System.nanoTime()}
   */
  public DefinitionCache(
      Supplier<Map<String, TaskDefinition>> source,
      Function<DefinitionSnapshot, V> derive,
      LongSupplier nanos) {
    this.source = source;
    this.derive = derive;
    this.nanos = nanos;
    this.current = derive.apply(definitions);
  }

  /** Returns the value derived from the definitions. Does not call Redis. */
  public V current() {
    return current;
  }

  /** Reads the definitions. Returns true if they have changed. */
  public boolean refresh() {
    long begun = nanos.getAsLong();
    return update(source.get(), begun);
  }

  private synchronized boolean update(Map<String, TaskDefinition> read, long begun) {
    if (readAt != null && begun - readAt < 0) {
      return false;
    }
    readAt = begun;
    if (read.equals(definitions.byName())) {
      return false;
    }
    DefinitionSnapshot changed = new DefinitionSnapshot(read);
    current = derive.apply(changed);
    definitions = changed;
    return true;
  }

  /** Whether the definitions were never read, or the last read began longer ago than this. */
  public synchronized boolean isOlderThan(Duration age) {
    return readAt == null || nanos.getAsLong() - readAt > age.toNanos();
  }

  /** Whether the definitions were read at least once. */
  public synchronized boolean isRead() {
    return readAt != null;
  }
}
