package io.asynq4j.internal.server.attempt;

import io.asynq4j.QueueName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The attempts of a server, from their claim until they are settled. Attempts whose handler still
 * runs after that are listed separately as lingering. Thread-safe.
 */
public final class AttemptRegistry {

  private record Key(QueueName queue, String id) {}

  private final Map<Key, Attempt> attempts = new ConcurrentHashMap<>();
  private final Set<Attempt> lingering = ConcurrentHashMap.newKeySet();
  private volatile Runnable onBrief = () -> {};

  /** Sets the listener for attempts with a short time limit. It must return quickly. */
  void onBrief(Runnable listener) {
    onBrief = listener;
  }

  public void add(Attempt attempt) {
    Attempt earlier = attempts.put(new Key(attempt.queue(), attempt.id()), attempt);
    if (earlier != null) {
      linger(earlier);
    }
    if (attempt.isBrief()) {
      onBrief.run();
    }
  }

  /** Removes only this attempt; a later one of the same task stays. */
  public void remove(Attempt attempt) {
    attempts.remove(new Key(attempt.queue(), attempt.id()), attempt);
    linger(attempt);
  }

  private void linger(Attempt attempt) {
    if (attempt.isRunning()) {
      lingering.add(attempt);
      // It may have returned meanwhile; nothing else would remove it then.
      if (!attempt.isRunning()) {
        lingering.remove(attempt);
      }
    }
  }

  /** Records that the handler has returned. An attempt that waits to be settled stays. */
  public void returned(Attempt attempt) {
    lingering.remove(attempt);
    if (attempt.isLost()) {
      attempts.remove(new Key(attempt.queue(), attempt.id()), attempt);
    }
  }

  /** Returns attempts that are settled or have lost their lease, but whose handler still runs. */
  public Collection<Attempt> lingering() {
    return lingering;
  }

  public Collection<Attempt> all() {
    return attempts.values();
  }

  /** Returns the selected attempts in mutable lists. */
  public Map<QueueName, List<Attempt>> byQueue(Predicate<Attempt> selected) {
    return attempts.values().stream()
        .filter(selected)
        .collect(Collectors.groupingBy(Attempt::queue, Collectors.toCollection(ArrayList::new)));
  }

  public List<Attempt> withId(String taskId) {
    return all().stream().filter(attempt -> attempt.id().equals(taskId)).toList();
  }

  /** Returns whether no handler runs and no attempt waits to be settled. */
  public boolean isEmpty() {
    return attempts.isEmpty() && lingering.isEmpty();
  }
}
