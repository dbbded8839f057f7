package io.asynq4j.internal.doctor;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.inspect.Diagnostics;
import io.asynq4j.internal.broker.inspect.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.inspect.Diagnostics.Norms;
import io.asynq4j.internal.broker.inspect.Diagnostics.RepairResult;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import io.asynq4j.internal.broker.inspect.Diagnostics.SubjectKind;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.concurrent.InterruptibleSleep;
import io.asynq4j.internal.inspect.HashedIdSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Inconsistencies that were seen once. They are examined again after a delay, since a task in
 * transition is consistent by then. Those that remain are findings, and are repaired if the options
 * require it. Not thread-safe.
 */
final class FindingCandidates {

  /** Maximum number of candidates before they are confirmed. */
  private static final int MOST = 10_000;

  /** Number of subjects per examination; the calls themselves are smaller. */
  private static final int PART = 500;

  /** Running servers return overdue sets within this time. */
  private static final Duration OVERDUE = Duration.ofMinutes(1);

  private static final int MOST_PROBLEMS = 20;

  /** Findings whose repair deletes archived tasks. */
  private static final Set<FindingKind> TRIMMING =
      EnumSet.of(FindingKind.ARCHIVE_OVERFLOW, FindingKind.ARCHIVE_WEDGES_GO);

  private record Candidate(Subject subject, FindingDetail finding) {}

  /** Subjects that can be examined in one call. */
  private record CheckKey(SubjectKind kind, @Nullable QueueName queue) {}

  private final Broker broker;
  private final Diagnostics diagnostics;
  private final DoctorOptions options;
  private final Norms norms;
  private final FindingCounter counter;
  private final Map<String, Candidate> candidates = new LinkedHashMap<>();
  private final HashedIdSet found = new HashedIdSet();
  private final Set<String> problems = new TreeSet<>();
  private long lastAdded;
  private long examined;

  FindingCandidates(Broker broker, DoctorOptions options) {
    this.broker = broker;
    this.diagnostics = broker.diagnostics();
    this.options = options;
    this.norms =
        new Norms(
            new ArchiveRules(
                options.archiveMaxSize(), options.archiveMaxAge(), /* releaseLocks= */ false),
            OVERDUE);
    this.counter = new FindingCounter(options.sampleSize());
  }

  FindingCounter counter() {
    return counter;
  }

  long examined() {
    return examined;
  }

  int size() {
    return candidates.size();
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Examines subjects of any kind for the first time. */
  void examine(List<Subject> subjects) {
    byCheck(subjects, subject -> subject)
        .forEach((check, all) -> inParts(all, "cannot examine " + name(check), this::examineBatch));
    if (candidates.size() >= MOST) {
      confirm();
    }
  }

  private static <T> Map<CheckKey, List<T>> byCheck(
      Collection<T> all, Function<T, Subject> subjectOf) {
    Map<CheckKey, List<T>> checks = new LinkedHashMap<>();
    for (T each : all) {
      Subject subject = subjectOf.apply(each);
      CheckKey check = new CheckKey(subject.kind(), subject.queue());
      checks.computeIfAbsent(check, any -> new ArrayList<>()).add(each);
    }
    return checks;
  }

  private static String name(CheckKey check) {
    String what = check.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return check.queue() == null ? what : what + " of queue " + check.queue();
  }

  private void examineBatch(List<Subject> subjects) {
    List<@Nullable FindingDetail> findings =
        diagnostics.examine(subjects, norms, /* closely= */ false);
    examined += subjects.size();
    for (int i = 0; i < subjects.size(); i++) {
      Subject subject = subjects.get(i);
      FindingDetail finding = findings.get(i);
      if (finding != null && !found.contains(nameOf(subject))) {
        // A later examination has seen more of it.
        candidates.put(nameOf(subject), new Candidate(subject, finding));
        lastAdded = System.nanoTime();
      }
    }
  }

  /** Separated by a character that names do not have, unlike a space. */
  private static String nameOf(Subject subject) {
    return subject.kind() + "\0" + subject.queue() + "\0" + subject.name();
  }

  /** Examines all candidates a second time, and repairs those that remain if asked to. */
  void confirm() {
    if (candidates.isEmpty()) {
      return;
    }
    long until = lastAdded + options.lookAgainAfter().toNanos();
    InterruptibleSleep.sleepNanos(until - System.nanoTime());
    Map<CheckKey, List<Candidate>> checks = byCheck(candidates.values(), Candidate::subject);
    candidates.clear();
    // Tasks come last: their correct container may depend on the other subjects.
    checks.entrySet().stream()
        .sorted(Comparator.comparing(check -> check.getKey().kind() == SubjectKind.TASK))
        .forEach(check -> confirm(check.getKey(), check.getValue()));
  }

  private void confirm(CheckKey check, List<Candidate> all) {
    String problem = "cannot repair " + name(check);
    QueueName queue = check.queue();
    if (check.kind() == SubjectKind.TASK && queue != null) {
      guarded(problem, () -> seeAgain(queue, all));
    }
    inParts(all, problem, this::confirmBatch);
  }

  private void seeAgain(QueueName queue, List<Candidate> all) {
    Set<String> ids =
        all.stream().map(candidate -> candidate.subject().name()).collect(Collectors.toSet());
    ListMembership lists = new ListMembership(broker, queue, ids::contains, () -> true);
    all.replaceAll(
        candidate ->
            new Candidate(
                candidate.subject().with(lists.of(candidate.subject().name())),
                candidate.finding()));
  }

  private void confirmBatch(List<Candidate> part) {
    List<Subject> subjects = part.stream().map(Candidate::subject).toList();
    List<@Nullable FindingDetail> now = diagnostics.examine(subjects, norms, /* closely= */ true);
    List<Subject> confirmed = new ArrayList<>();
    List<FindingDetail> findings = new ArrayList<>();
    for (int i = 0; i < part.size(); i++) {
      FindingDetail finding = now.get(i);
      if (finding != null && isSame(part.get(i), finding)) {
        confirmed.add(subjects.get(i));
        findings.add(finding);
      }
    }
    List<RepairResult> results = repair(confirmed, findings);
    for (int i = 0; i < confirmed.size(); i++) {
      if (results.get(i) != RepairResult.CHANGED) {
        found.add(nameOf(confirmed.get(i)));
        counter.add(confirmed.get(i), findings.get(i), results.get(i) == RepairResult.DONE);
      }
    }
  }

  /** Compares tasks in every detail; for other subjects the count may change. */
  private static boolean isSame(Candidate candidate, FindingDetail now) {
    return candidate.subject().kind() == SubjectKind.TASK
        ? candidate.finding().equals(now)
        : candidate.finding().kind() == now.kind();
  }

  private List<RepairResult> repair(List<Subject> confirmed, List<FindingDetail> findings) {
    boolean mayRepair =
        options.repairs()
            && (options.trimsArchives()
                || findings.stream().noneMatch(finding -> TRIMMING.contains(finding.kind())));
    return mayRepair
        ? diagnostics.repair(confirmed, findings, norms, options.removesUnreadable())
        : confirmed.stream().map(subject -> RepairResult.OUT_OF_REACH).toList();
  }

  private <T> void inParts(List<T> all, String problem, Consumer<List<T>> work) {
    for (List<T> part : BatchSplitter.of(all, PART)) {
      guarded(problem, () -> work.accept(part));
    }
  }

  /** A failed examination must not prevent the rest. */
  void guarded(String problem, Runnable work) {
    try {
      work.run();
    } catch (BrokerException e) {
      problem(problem + ": " + e.getMessage());
    }
  }

  void problem(String text) {
    if (problems.size() < MOST_PROBLEMS) {
      problems.add(text);
    }
  }
}
