package io.asynq4j.internal.schedule;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.EnqueueOperations;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of a scheduler without coordination, as in the Go implementation: it always leads, and
 * its state ends with the process. Thread-safe.
 */
final class InMemoryScheduleLedger implements ScheduleLedger {

  private record Noted(String spec, State state) {}

  private final EnqueueOperations sink;
  private final Clock clock;
  private final Map<String, Noted> entries = new ConcurrentHashMap<>();

  InMemoryScheduleLedger(EnqueueOperations sink, Clock clock) {
    this.sink = sink;
    this.clock = clock;
  }

  @Override
  public boolean lead(String group, String schedulerId, Duration ttl) {
    return true;
  }

  @Override
  public void resign(String group, String schedulerId) {}

  @Override
  public Map<String, State> enroll(Collection<Entry> some) {
    for (Entry entry : some) {
      Noted fresh = new Noted(entry.spec(), State.from(clock.instant()));
      entries.merge(
          entry.name(), fresh, (noted, any) -> noted.spec().equals(fresh.spec()) ? noted : fresh);
    }
    return look(some);
  }

  @Override
  public Map<String, State> look(Collection<Entry> some) {
    Map<String, State> states = new HashMap<>();
    for (Entry entry : some) {
      Noted noted = entries.get(entry.name());
      if (noted != null) {
        states.put(entry.name(), noted.state());
      }
    }
    return states;
  }

  @Override
  public long revision() {
    return 0;
  }

  @Override
  public List<@Nullable EnqueueReply> fire(QueueName queue, List<Firing> firings) {
    for (Firing firing : firings) {
      entries.computeIfPresent(
          firing.entry(),
          (name, noted) -> new Noted(noted.spec(), noted.state().fired(firing.instant())));
    }
    return sink.enqueueEach(
        firings.stream().map(Firing::task).toList(), DurabilityRequirement.NONE);
  }

  @Override
  public void forget(String name) {
    entries.remove(name);
  }
}
