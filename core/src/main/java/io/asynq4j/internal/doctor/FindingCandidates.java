package io.asynq4j.internal.doctor;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Diagnostics;
import io.asynq4j.internal.broker.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.Diagnostics.FindingKind;
import io.asynq4j.internal.broker.Diagnostics.Kind;
import io.asynq4j.internal.broker.Diagnostics.Norms;
import io.asynq4j.internal.broker.Diagnostics.RepairResult;
import io.asynq4j.internal.broker.Diagnostics.Subject;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What looked amiss once. After a while it is looked at again: what is in transition is right by
 * then. What is still amiss is a finding, and is put right where that is wanted. Not thread-safe.
 */
final class FindingCandidates {

  /** Beyond so many, those that are there are looked at before others are. */
  private static final int MOST = 10_000;

  /** How many are looked at in a row; the calls themselves are smaller. */
  private static final int PART = 500;

  /** Running servers give back what is overdue within this time. */
  private static final Duration OVERDUE = Duration.ofMinutes(1);

  private static final int MOST_PROBLEMS = 20;

  private record Key(Kind kind, @Nullable QueueName queue, String name) {}

  private record Candidate(Subject subject, FindingDetail symptom) {}

  /** What can be looked at in one call. */
  private record CheckKey(Kind kind, @Nullable QueueName queue) {}

  private final Broker broker;
  private final Diagnostics diagnostics;
  private final DoctorOptions options;
  private final Norms norms;
  private final FindingCounter tally;
  private final Map<Key, Candidate> suspects = new LinkedHashMap<>();
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
    this.tally = new FindingCounter(options.sampleSize());
  }

  FindingCounter tally() {
    return tally;
  }

  long examined() {
    return examined;
  }

  int size() {
    return suspects.size();
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Takes a first look at subjects of any kind. */
  void examine(List<Subject> subjects) {
    byWard(subjects)
        .forEach(
            (ward, all) -> inParts(all, "cannot look at " + name(ward), part -> examineWard(part)));
    if (suspects.size() >= MOST) {
      settle();
    }
  }

  private static Map<CheckKey, List<Subject>> byWard(List<Subject> subjects) {
    return subjects.stream()
        .collect(
            Collectors.groupingBy(
                subject -> new CheckKey(subject.kind(), subject.queue()),
                LinkedHashMap::new,
                Collectors.toList()));
  }

  private static String name(CheckKey ward) {
    String what = ward.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return ward.queue() == null ? what : what + " of queue " + ward.queue();
  }

  private void examineWard(List<Subject> subjects) {
    List<@Nullable FindingDetail> symptoms =
        diagnostics.examine(subjects, norms, /* closely= */ false);
    examined += subjects.size();
    for (int i = 0; i < subjects.size(); i++) {
      FindingDetail symptom = symptoms.get(i);
      if (symptom != null) {
        suspect(subjects.get(i), symptom);
      }
    }
  }

  private void suspect(Subject subject, FindingDetail symptom) {
    if (!found.contains(nameOf(subject))) {
      // A later look has seen more of it.
      suspects.put(
          new Key(subject.kind(), subject.queue(), subject.name()),
          new Candidate(subject, symptom));
      lastAdded = System.nanoTime();
    }
  }

  private static String nameOf(Subject subject) {
    return subject.kind() + " " + subject.queue() + " " + subject.name();
  }

  /** Takes the second look at all suspects, and puts right what is amiss if that is wanted. */
  void settle() {
    if (suspects.isEmpty()) {
      return;
    }
    pause();
    Map<CheckKey, List<Candidate>> wards =
        suspects.values().stream()
            .collect(
                Collectors.groupingBy(
                    suspect -> new CheckKey(suspect.subject().kind(), suspect.subject().queue()),
                    LinkedHashMap::new,
                    Collectors.toList()));
    suspects.clear();
    // Tasks come last: whether one is where it should be may depend on what the others say.
    settle(wards, ward -> ward.kind() != Kind.TASK);
    settle(wards, ward -> ward.kind() == Kind.TASK);
  }

  private void settle(Map<CheckKey, List<Candidate>> wards, Predicate<CheckKey> which) {
    wards.forEach(
        (ward, all) -> {
          if (which.test(ward)) {
            String problem = "cannot put right " + name(ward);
            QueueName queue = ward.queue();
            if (ward.kind() == Kind.TASK && queue != null) {
              guarded(problem, () -> seeAgain(queue, all));
            }
            inParts(all, problem, this::settleWard);
          }
        });
  }

  private void pause() {
    long until = lastAdded + options.lookAgainAfter().toNanos();
    long left = until - System.nanoTime();
    while (left > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(left);
      left = until - System.nanoTime();
    }
  }

  private void seeAgain(QueueName queue, List<Candidate> all) {
    Set<String> ids =
        all.stream().map(suspect -> suspect.subject().name()).collect(Collectors.toSet());
    ListMembership lists =
        ListMembership.walk(diagnostics, queue, broker.clock().instant(), ids, () -> true);
    all.replaceAll(
        suspect ->
            new Candidate(
                suspect.subject().with(lists.of(suspect.subject().name())), suspect.symptom()));
  }

  private void settleWard(List<Candidate> part) {
    List<Subject> subjects = part.stream().map(Candidate::subject).toList();
    List<@Nullable FindingDetail> now = diagnostics.examine(subjects, norms, /* closely= */ true);
    List<Subject> ill = new ArrayList<>();
    List<FindingDetail> symptoms = new ArrayList<>();
    for (int i = 0; i < part.size(); i++) {
      FindingDetail symptom = now.get(i);
      if (symptom != null && isSame(part.get(i), symptom)) {
        ill.add(subjects.get(i));
        symptoms.add(symptom);
      }
    }
    List<RepairResult> treatments = heal(ill, symptoms);
    for (int i = 0; i < ill.size(); i++) {
      if (treatments.get(i) != RepairResult.CHANGED) {
        found.add(nameOf(ill.get(i)));
        tally.add(ill.get(i), symptoms.get(i), treatments.get(i) == RepairResult.DONE);
      }
    }
  }

  /** Of a task in every detail; of others how many they are may change. */
  private static boolean isSame(Candidate suspect, FindingDetail now) {
    return suspect.subject().kind() == Kind.TASK
        ? suspect.symptom().equals(now)
        : suspect.symptom().ailment() == now.ailment();
  }

  private List<RepairResult> heal(List<Subject> ill, List<FindingDetail> symptoms) {
    boolean mayHeal =
        options.repairs()
            && (options.trimsArchives()
                || !symptoms.stream().anyMatch(FindingCandidates::isTrimming));
    return mayHeal
        ? diagnostics.heal(ill, symptoms, norms, options.removesUnreadable())
        : ill.stream().map(subject -> RepairResult.OUT_OF_REACH).toList();
  }

  private static boolean isTrimming(FindingDetail symptom) {
    return symptom.ailment() == FindingKind.ARCHIVE_OVERFLOW
        || symptom.ailment() == FindingKind.ARCHIVE_WEDGES_GO;
  }

  private interface Check<T> {
    void on(List<T> part);
  }

  private <T> void inParts(List<T> all, String problem, Check<T> work) {
    for (int from = 0; from < all.size(); from += PART) {
      List<T> part = all.subList(from, Math.min(from + PART, all.size()));
      guarded(problem, () -> work.on(part));
    }
  }

  /** What cannot be looked at must not keep the rest from it. */
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
