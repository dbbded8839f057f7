package io.asynq4j.internal.server.attempt;

import io.asynq4j.QueueName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The attempts of a server, each from its claim until Redis has taken note of its end; and apart
 * from them those whose handler runs on although nothing depends on it any more.
 */
public final class AttemptRegistry {

  private record Key(QueueName queue, String id) {}

  private final Map<Key, Attempt> attempts = new ConcurrentHashMap<>();
  private final Set<Attempt> lingering = ConcurrentHashMap.newKeySet();
  private volatile Runnable onBrief = () -> {};

  /** Has somebody told of each attempt that is brief. One listener, which must be quick. */
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

  /** Only this attempt: a later one at the same task stays. */
  public void remove(Attempt attempt) {
    attempts.remove(new Key(attempt.queue(), attempt.id()), attempt);
    linger(attempt);
  }

  private void linger(Attempt attempt) {
    if (attempt.isRunning()) {
      lingering.add(attempt);
      // It may have returned meanwhile, and nobody would take it away then.
      if (!attempt.isRunning()) {
        lingering.remove(attempt);
      }
    }
  }

  /** The handler of an attempt has returned. One that waits to be settled stays. */
  public void returned(Attempt attempt) {
    lingering.remove(attempt);
    if (attempt.isLost()) {
      attempts.remove(new Key(attempt.queue(), attempt.id()), attempt);
    }
  }

  /** Those whose handler runs although they have been settled, or have lost their lease. */
  public Collection<Attempt> lingering() {
    return lingering;
  }

  public Collection<Attempt> all() {
    return attempts.values();
  }

  public List<Attempt> withId(String taskId) {
    List<Attempt> found = new ArrayList<>(1);
    for (Attempt attempt : attempts.values()) {
      if (attempt.id().equals(taskId)) {
        found.add(attempt);
      }
    }
    return found;
  }

  /** Whether nothing runs, and nothing waits to be settled. */
  public boolean isEmpty() {
    return attempts.isEmpty() && lingering.isEmpty();
  }

  int size() {
    return attempts.size();
  }
}
