package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.Diagnostics.Subject;
import io.asynq4j.internal.broker.Diagnostics.SubjectKind;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds queues that no live server serves and groups that no server aggregates. A queue counts only
 * if it is unserved in both examinations, since servers restart. Not thread-safe.
 */
final class UnservedCheck {

  private final FindingCandidates candidates;
  private final UnservedTaskDetector detector;
  private final Set<String> registered;
  private Map<QueueName, Long> unserved = Map.of();

  /**
   * @param registered queue names; other queues are not examined
   */
  UnservedCheck(Broker broker, FindingCandidates candidates, Set<String> registered) {
    this.candidates = candidates;
    this.detector = new UnservedTaskDetector(broker);
    this.registered = registered;
  }

  /** Examines queues for the first time. */
  void examine(Collection<QueueName> queues) {
    unserved = unserved(queues);
  }

  /** Examines queues without a server for the second time, and the groups of all others. */
  void confirm(Collection<QueueName> queues) {
    Map<QueueName, Long> still = unserved.isEmpty() ? Map.of() : unserved(unserved.keySet());
    still.forEach(
        (queue, tasks) ->
            add(
                FindingKind.UNSERVED_QUEUE,
                Subject.of(SubjectKind.QUEUE, queue, queue.value()),
                tasks));
    for (QueueName queue : queues) {
      if (!still.containsKey(queue)) {
        candidates.guarded(
            "cannot examine the groups of queue " + queue, () -> addUnaggregated(queue));
      }
    }
  }

  /** Returns queues with due tasks and no server, with the number of waiting tasks. */
  private Map<QueueName, Long> unserved(Collection<QueueName> queues) {
    Map<QueueName, Long> waiting = new TreeMap<>();
    candidates.guarded(
        "cannot determine which queues are served",
        () -> {
          Set<String> served = detector.served();
          for (QueueName queue : queues) {
            if (!served.contains(queue.value()) && registered.contains(queue.value())) {
              candidates.guarded(
                  "cannot determine whether a server serves queue " + queue,
                  () -> waiting.put(queue, detector.waiting(queue)));
            }
          }
        });
    waiting.values().removeIf(tasks -> tasks == 0);
    return waiting;
  }

  private void addUnaggregated(QueueName queue) {
    for (String group : detector.groups(queue)) {
      add(FindingKind.UNAGGREGATED_GROUP, Subject.of(SubjectKind.GROUP, queue, group), 1);
    }
  }

  private void add(FindingKind kind, Subject subject, long count) {
    candidates.counter().add(subject, new FindingDetail(kind, count, ""), /* isRepaired= */ false);
  }
}
