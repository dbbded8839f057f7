package io.asynq4j.testing.internal;

import io.asynq4j.testing.Fault;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** The faults that a test has requested and that have not happened yet. Thread-safe. */
public final class Faults {

  private final Map<Fault, AtomicInteger> pending = new EnumMap<>(Fault.class);

  Faults() {
    for (Fault fault : Fault.values()) {
      pending.put(fault, new AtomicInteger());
    }
  }

  public void add(Fault fault, int times) {
    count(fault).addAndGet(times);
  }

  boolean isPending(Fault fault) {
    return count(fault).get() > 0;
  }

  /** Returns whether the fault happens now. */
  boolean take(Fault fault) {
    return count(fault).getAndUpdate(count -> Math.max(0, count - 1)) > 0;
  }

  private AtomicInteger count(Fault fault) {
    return Objects.requireNonNull(pending.get(fault));
  }

  /** Returns the faults that have not happened, once per time. */
  public List<Fault> left() {
    List<Fault> left = new ArrayList<>();
    pending.forEach((fault, count) -> left.addAll(Collections.nCopies(count.get(), fault)));
    return left;
  }

  void clear() {
    pending.values().forEach(count -> count.set(0));
  }
}
