package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.Diagnosis.DoctorProgress;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import io.asynq4j.internal.broker.inspect.Diagnostics.SubjectKind;
import io.asynq4j.internal.broker.inspect.KeyspaceScan.Keyspace;
import io.asynq4j.internal.broker.inspect.KeyspaceScan.Members;
import io.asynq4j.internal.broker.inspect.KeyspaceScan.Node;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One scan of the doctor. It reads the containers of each queue, which shows IDs without a task,
 * then all keys, which shows tasks without a container, and finally the registries of queues and
 * servers. Every inconsistency becomes a candidate, which is examined a second time. Not
 * thread-safe.
 */
public final class DoctorScan {

  private static final List<String> TASKS_OF =
      List.of("pending", "active", "lease", "scheduled", "retry", "archived", "completed");

  private final Broker broker;
  private final DoctorOptions options;
  private final Predicate<DoctorProgress> goOn;
  private final FindingCandidates candidates;
  private final Instant startedAt;
  private final Map<QueueName, ListMembership> lists = new HashMap<>();

  /** Queues with at least one key in the scan. */
  private final Set<QueueName> met = new HashSet<>();

  /** Queues among them that have tasks and are not registered. */
  private final Set<QueueName> unregistered = new HashSet<>();

  private Set<String> registered = Set.of();

  /** Where an earlier scan was stopped; null once that position is passed. */
  private @Nullable ScanPosition resume;

  private @Nullable ScanPosition stoppedAt;

  /** The current page of the key scan; null before the key scan. */
  private @Nullable ScanPosition page;

  public DoctorScan(Broker broker, DoctorOptions options, Predicate<DoctorProgress> goOn) {
    this.broker = broker;
    this.options = options;
    this.goOn = goOn;
    this.candidates = new FindingCandidates(broker, options);
    this.startedAt = broker.clock().instant();
    this.resume = ScanPosition.parse(options.resumeFrom());
  }

  public Diagnosis make() {
    boolean wasStopped = resume != null;
    registered = new HashSet<>(broker.queues().names());
    for (QueueName queue : queues()) {
      containers(queue);
    }
    keys();
    if (options.queues().isEmpty() && !isStopped()) {
      candidates.examine(broker.diagnostics().registries());
      // Without all keys it is unknown which queues have none.
      if (!wasStopped && candidates.problems().isEmpty()) {
        candidates.examine(
            queues().stream()
                .filter(queue -> !met.contains(queue))
                .map(queue -> Subject.of(SubjectKind.QUEUE_NAME, queue, queue.value()))
                .toList());
      }
    }
    // The result is ignored: it is too late to stop, since passed candidates are not examined
    // again.
    boolean unused = goOn.test(progress("examining " + candidates.size() + " candidates again"));
    long before = candidates.counter().repaired();
    UnservedCheck unserved = new UnservedCheck(broker, candidates, registered);
    if (!isStopped()) {
      unserved.examine(queues());
    }
    candidates.confirm();
    if (!isStopped()) {
      unserved.confirm(queues());
    }
    ScanPosition next = stoppedAt;
    if (next != null && ListMembership.NAMES.contains(next.container())) {
      long gone = candidates.counter().repaired() - before;
      next = next.at(back(next.container(), next.cursor(), gone));
    }
    return Diagnosis.of(
        startedAt,
        broker.clock().instant(),
        candidates.examined(),
        candidates.counter().findings(),
        candidates.problems(),
        next == null ? null : next.text());
  }

  private Set<QueueName> queues() {
    if (!options.queues().isEmpty()) {
      return new TreeSet<>(options.queues());
    }
    Set<QueueName> queues = new TreeSet<>();
    for (String name : registered) {
      try {
        queues.add(QueueName.of(name));
      } catch (IllegalArgumentException e) {
        candidates.problem("cannot scan the queue \"" + name + "\": " + e.getMessage());
      }
    }
    return queues;
  }

  private boolean isStopped() {
    return stoppedAt != null;
  }

  /**
   * Reports progress and returns whether to continue. If not, the position to resume is recorded:
   * the original start if it was not reached, and the same page of keys within the key scan.
   */
  private boolean goesOn(ScanPosition next, String step) {
    if (Thread.currentThread().isInterrupted() || !goOn.test(progress(step))) {
      stoppedAt = resume != null ? resume : page != null ? page : next;
    }
    return !isStopped();
  }

  private DoctorProgress progress(String step) {
    return new DoctorProgress(
        step, candidates.examined(), candidates.counter().found(), candidates.counter().repaired());
  }

  // ---- the containers of a queue ----

  private void containers(QueueName queue) {
    if (isStopped()) {
      return;
    }
    BooleanSupplier goesOn =
        () -> goesOn(at(queue, TASKS_OF.get(0), ""), "lists of queue " + queue);
    candidates.guarded(
        "cannot scan the lists of queue " + queue,
        () -> lists.put(queue, new ListMembership(broker, queue, id -> true, goesOn)));
    for (String container : TASKS_OF) {
      walk(queue, container, SubjectKind.TASK);
    }
    walk(queue, "groups", SubjectKind.GROUP_NAME);
    walk(queue, "aggregation_sets", SubjectKind.AGGREGATION_SET);
    if (!isStopped() && resume == null) {
      candidates.examine(List.of(Subject.of(SubjectKind.ARCHIVE, queue, queue.value())));
    }
  }

  private void walk(QueueName queue, String container, SubjectKind kind) {
    ListMembership known = lists.get(queue);
    String first = isStopped() || known == null ? null : beginningOf(queue, container);
    if (known == null || first == null) {
      return;
    }
    String place = container.startsWith("g:") ? container : "";
    Function<String, Subject> subjectOf =
        name -> new Subject(kind, queue, name, known.of(name), place);
    candidates.guarded(
        "cannot scan " + container + " of queue " + queue,
        () -> {
          String cursor = first;
          do {
            Members members = broker.keyspace().members(queue, container, cursor);
            long before = candidates.counter().repaired();
            candidates.examine(members.members().stream().map(subjectOf).toList());
            long gone = candidates.counter().repaired() - before;
            cursor = back(container, members.next(), gone);
          } while (!cursor.isEmpty()
              && goesOn(at(queue, container, cursor), "queue " + queue + ": " + container));
        });
  }

  /** Moves a list cursor back by the number of removed elements, since the rest has moved up. */
  private static String back(String container, String cursor, long by) {
    return cursor.isEmpty() || !ListMembership.NAMES.contains(container)
        ? cursor
        : Long.toString(Math.max(0, Long.parseLong(cursor) - by));
  }

  private static ScanPosition at(QueueName queue, String container, String cursor) {
    return new ScanPosition(ScanPosition.Step.CONTAINERS, queue.value(), container, cursor);
  }

  /** Returns where to start in a container; null if an earlier scan has completed it. */
  private @Nullable String beginningOf(QueueName queue, String container) {
    ScanPosition from = resume;
    if (from == null || container.startsWith("g:")) {
      return "";
    }
    if (from.step() == ScanPosition.Step.KEYS || queue.value().compareTo(from.owner()) < 0) {
      return null;
    }
    if (queue.value().equals(from.owner()) && !container.equals(from.container())) {
      return null;
    }
    resume = null;
    return queue.value().equals(from.owner()) ? from.cursor() : "";
  }

  // ---- all keys ----

  private void keys() {
    QueueName only = options.queues().size() == 1 ? options.queues().iterator().next() : null;
    List<Node> nodes = new ArrayList<>();
    candidates.guarded("cannot scan keys", () -> nodes.addAll(broker.keyspace().nodes(only)));
    for (Node node : nodes) {
      ScanPosition from = resume;
      if (!isStopped() && (from == null || from.owner().equals(node.name()))) {
        resume = null;
        candidates.guarded(
            "cannot scan the keys of " + node.name(),
            () -> keys(node, only, from == null ? "" : from.cursor()));
      }
    }
    if (resume != null) {
      candidates.problem(
          "the server %s whose keys were to be scanned is gone; start a new scan"
              .formatted(resume.owner()));
    }
  }

  private void keys(Node node, @Nullable QueueName only, String first) {
    ScanPosition at = new ScanPosition(ScanPosition.Step.KEYS, node.name(), "", first);
    do {
      page = at;
      Keyspace keys = broker.keyspace().keys(node, only, registered, at.cursor());
      if (keys.moved()) {
        candidates.problem(
            "keys of " + node.name() + " have moved to another server; start a new scan");
        return;
      }
      look(keys.subjects());
      page = null;
      at = at.at(keys.next());
    } while (!isStopped() && !at.cursor().isEmpty() && goesOn(at, "keys of " + node.name()));
  }

  private void look(List<Subject> subjects) {
    List<Subject> wanted = new ArrayList<>();
    for (Subject subject : subjects) {
      QueueName queue = subject.queue();
      if (!isWanted(queue)) {
        continue;
      }
      if (queue != null) {
        meet(queue, subject.kind());
      }
      ListMembership known = queue == null ? null : lists.get(queue);
      if (subject.kind() == SubjectKind.TASK && known != null) {
        wanted.add(subject.with(known.of(subject.name())));
      } else if (subject.kind() != SubjectKind.TASK && subject.kind() != SubjectKind.QUEUE) {
        wanted.add(subject);
      }
    }
    candidates.examine(wanted);
    for (Subject subject : wanted) {
      if (subject.kind() == SubjectKind.GROUP) {
        walk(Objects.requireNonNull(subject.queue()), "g:" + subject.name(), SubjectKind.TASK);
      }
    }
  }

  private boolean isWanted(@Nullable QueueName queue) {
    return options.queues().isEmpty() || (queue != null && options.queues().contains(queue));
  }

  /**
   * Finds unregistered queues by their tasks; locks do not count, since they may outlive a queue.
   */
  private void meet(QueueName queue, SubjectKind kind) {
    met.add(queue);
    boolean holdsTasks =
        kind == SubjectKind.TASK || kind == SubjectKind.GROUP || kind == SubjectKind.QUEUE;
    if (holdsTasks && !registered.contains(queue.value()) && unregistered.add(queue)) {
      candidates.examine(List.of(Subject.of(SubjectKind.QUEUE, queue, queue.value())));
      if (!lists.containsKey(queue)) {
        containers(queue);
      }
    }
  }
}
