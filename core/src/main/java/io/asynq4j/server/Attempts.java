package io.asynq4j.server;

import io.asynq4j.QueueName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The attempts of a server, each from its claim until Redis has taken note of its end. */
final class Attempts {

  private record Key(QueueName queue, String id) {}

  private final Map<Key, Attempt> attempts = new ConcurrentHashMap<>();

  void add(Attempt attempt) {
    attempts.put(new Key(attempt.queue(), attempt.id()), attempt);
  }

  /** Only this attempt: a later one at the same task stays. */
  void remove(Attempt attempt) {
    attempts.remove(new Key(attempt.queue(), attempt.id()), attempt);
  }

  Collection<Attempt> all() {
    return attempts.values();
  }

  List<Attempt> withId(String taskId) {
    List<Attempt> found = new ArrayList<>(1);
    for (Attempt attempt : attempts.values()) {
      if (attempt.id().equals(taskId)) {
        found.add(attempt);
      }
    }
    return found;
  }

  int size() {
    return attempts.size();
  }
}
