package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.inspect.Diagnostics;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.presence.RedisPresence;
import io.asynq4j.internal.redis.store.task.ArchiveTrimmer;
import io.asynq4j.internal.redis.store.task.QueueRegistry;
import io.asynq4j.internal.redis.store.task.RedisAggregation;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.internal.time.WholeSeconds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** Detects and repairs inconsistencies in Redis. */
public record RedisDiagnostics(
    ScriptRunner scripts,
    RedisCommandExecutor link,
    BrokerTime time,
    QueueRegistry registry,
    RedisPresence presence,
    RedisAggregation aggregation)
    implements Diagnostics {

  /** As in {@code prelude.lua}: until then, no sweep removes it from the registry. */
  private static final long PRESENCE_GRACE_SECONDS = 60;

  /**
   * Go's archive script fails permanently once it has to remove 8,000 tasks at once. This threshold
   * is slightly lower, and higher than what asynq4j leaves in an archive.
   */
  private static final long GO_WEDGED_BY = 7_950;

  /** The suffixes of the other fixed keys of a queue, besides those of containers. */
  private static final List<String> OTHER_KEYS =
      List.of("groups", "spent", "paused", "settings", "processed", "failed");

  @Override
  public List<Subject> registries() {
    return Stream.of(RedisKeys.SERVERS, RedisKeys.WORKERS, RedisKeys.SCHEDULERS)
        .map(key -> Subject.of(SubjectKind.REGISTRY, null, key))
        .toList();
  }

  @Override
  public List<@Nullable FindingDetail> examine(
      List<Subject> subjects, Norms norms, boolean closely) {
    return examine(subjects, norms, closely, /* tidy= */ false);
  }

  /**
   * @param tidy whether a script that can repair what it finds does so
   */
  private List<@Nullable FindingDetail> examine(
      List<Subject> subjects, Norms norms, boolean closely, boolean tidy) {
    return switch (subjects.get(0).kind()) {
      case TASK -> tasks().examine(queueOf(subjects.get(0)), subjects, closely);
      case LOCK, GROUP, GROUP_NAME, AGGREGATION_SET, SPENT_SET -> tidy(subjects, norms, tidy);
      case ARCHIVE -> each(subjects, subject -> archive(queueOf(subject), norms.archive()));
      case QUEUE -> each(subjects, this::queue);
      case QUEUE_NAME -> each(subjects, this::queueName);
      case REGISTRY -> each(subjects, subject -> registry(subject.name()));
      case PRESENCE -> each(subjects, this::presence);
      case HISTORY -> histories(subjects);
    };
  }

  private static List<@Nullable FindingDetail> each(
      List<Subject> subjects, Function<Subject, @Nullable FindingDetail> look) {
    return subjects.stream().map(look).toList();
  }

  private TaskDiagnostics tasks() {
    return new TaskDiagnostics(scripts);
  }

  private static QueueName queueOf(Subject subject) {
    return Objects.requireNonNull(subject.queue(), () -> subject.kind() + " requires a queue");
  }

  private List<@Nullable FindingDetail> tidy(List<Subject> subjects, Norms norms, boolean repair) {
    List<@Nullable FindingDetail> findings = new ArrayList<>(subjects.size());
    for (List<Subject> batch : BatchSplitter.of(subjects)) {
      CommandArgs args =
          new CommandArgs(2 + batch.size() * 2).add(repair).add(WholeSeconds.ceil(norms.overdue()));
      for (Subject subject : batch) {
        args.add(subject.kind().name().toLowerCase(Locale.ROOT)).add(subject.name());
      }
      QueueName queue = queueOf(batch.get(0));
      for (Object answer : scripts.runList(Script.TIDY, queue, args)) {
        String word = ReplyParser.text(answer);
        findings.add(
            word.isEmpty() ? null : finding(FindingKind.valueOf(word.toUpperCase(Locale.ROOT)), 1));
      }
    }
    return findings;
  }

  private static FindingDetail finding(FindingKind kind, long count) {
    return new FindingDetail(kind, count, "");
  }

  private @Nullable FindingDetail archive(QueueName queue, ArchiveRules rules) {
    long size = number(Command.ZCARD, RedisKeys.of(queue, "archived"));
    long old = archivedBefore(queue, rules);
    long surplus = old + Math.max(0, size - old - rules.maxSize());
    ArchiveRules go = ArchiveRules.GO;
    if (size - go.maxSize() >= GO_WEDGED_BY || archivedBefore(queue, go) >= GO_WEDGED_BY) {
      return finding(FindingKind.ARCHIVE_WEDGES_GO, size);
    }
    return surplus == 0 ? null : finding(FindingKind.ARCHIVE_OVERFLOW, surplus);
  }

  private long archivedBefore(QueueName queue, ArchiveRules rules) {
    long cutoff = TimeMath.minus(time.clock().instant(), rules.maxAge()).getEpochSecond();
    return number(Command.ZCOUNT, RedisKeys.of(queue, "archived"), "-inf", cutoff);
  }

  private @Nullable FindingDetail queue(Subject subject) {
    return number(Command.SISMEMBER, RedisKeys.QUEUES, subject.name()) == 1
        ? null
        : finding(FindingKind.UNREGISTERED_QUEUE, 1);
  }

  private @Nullable FindingDetail queueName(Subject subject) {
    return holdsNothing(queueOf(subject)) ? finding(FindingKind.EMPTY_QUEUE, 1) : null;
  }

  private boolean holdsNothing(QueueName queue) {
    CommandArgs args = new CommandArgs();
    KeyspaceScanner.CONTAINERS.forEach(word -> args.add(RedisKeys.of(queue, word)));
    OTHER_KEYS.forEach(word -> args.add(RedisKeys.of(queue, word)));
    Object found = link.call(RedisKeys.prefix(queue), ResendPolicy.SAFE, Command.EXISTS, args);
    return ReplyParser.number(found) == 0;
  }

  private @Nullable FindingDetail registry(String key) {
    long end = time.clock().instant().getEpochSecond() - PRESENCE_GRACE_SECONDS;
    long gone = number(Command.ZCOUNT, key, "-inf", "(" + end);
    return gone == 0 ? null : finding(FindingKind.STALE_PRESENCE, gone);
  }

  /**
   * A process registers itself before it publishes its state, so a lasting unregistered state is a
   * leftover.
   */
  private @Nullable FindingDetail presence(Subject subject) {
    String key = subject.name();
    String list = Objects.requireNonNull(RedisKeys.registryOf(key));
    boolean leaked =
        link.callSafe(Command.ZSCORE, list, key) == null && number(Command.EXISTS, key) == 1;
    return leaked ? finding(FindingKind.LEAKED_PRESENCE, 1) : null;
  }

  private List<@Nullable FindingDetail> histories(List<Subject> subjects) {
    Set<String> entries =
        presence.schedulerEntries(unreadable -> {}).stream()
            .map(Presence.SchedulerEntry::id)
            .collect(Collectors.toSet());
    return each(
        subjects,
        subject ->
            !entries.contains(subject.name())
                    && number(Command.PTTL, RedisKeys.schedulerHistory(subject.name())) == -1
                ? finding(FindingKind.LEAKED_HISTORY, 1)
                : null);
  }

  private long number(Command command, String key, Object... more) {
    return ReplyParser.number(link.callSafe(command, key, more));
  }

  @Override
  public List<RepairResult> repair(
      List<Subject> subjects, List<FindingDetail> findings, Norms norms, boolean removeUnreadable) {
    if (subjects.isEmpty()) {
      return List.of();
    }
    if (subjects.get(0).kind() == SubjectKind.TASK) {
      return tasks().repair(queueOf(subjects.get(0)), subjects, findings, removeUnreadable);
    }
    List<@Nullable FindingDetail> found =
        examine(subjects, norms, /* closely= */ true, /* tidy= */ true);
    List<RepairResult> results = new ArrayList<>(subjects.size());
    for (int i = 0; i < subjects.size(); i++) {
      FindingDetail finding = found.get(i);
      boolean same = finding != null && finding.kind() == findings.get(i).kind();
      results.add(same ? repair(subjects.get(i), norms) : RepairResult.CHANGED);
    }
    return results;
  }

  private RepairResult repair(Subject subject, Norms norms) {
    switch (subject.kind()) {
      case AGGREGATION_SET -> giveBack(queueOf(subject), subject.name());
      case ARCHIVE -> {
        ArchiveTrimmer.trimAll(scripts, queueOf(subject), norms.archive());
        return archive(queueOf(subject), norms.archive()) == null
            ? RepairResult.DONE
            : RepairResult.OUT_OF_REACH;
      }
      case QUEUE -> registry.registerAgain(queueOf(subject));
      case QUEUE_NAME -> unregister(queueOf(subject));
      case REGISTRY -> scripts.run(Script.LIVE, new String[] {subject.name()}, new CommandArgs());
      case PRESENCE -> number(Command.DEL, subject.name());
      case HISTORY ->
          number(
              Command.EXPIRE,
              RedisKeys.schedulerHistory(subject.name()),
              RedisPresence.HISTORY_TTL.toSeconds());
      default -> {
        // The script has already repaired it.
      }
    }
    return RepairResult.DONE;
  }

  private void giveBack(QueueName queue, String setKey) {
    String name = setKey.substring(RedisKeys.group(queue, "").length());
    int colon = name.lastIndexOf(':');
    if (colon >= 0) {
      aggregation.giveBack(
          new AggregationSet(queue, name.substring(0, colon), name.substring(colon + 1), 0));
    }
  }

  /**
   * Not atomic, since the registry and the queue's keys are in different slots: checks again
   * afterwards, and registers the queue again if necessary.
   */
  private void unregister(QueueName queue) {
    registry.remove(queue);
    if (!holdsNothing(queue)) {
      registry.register(queue);
    }
  }
}
