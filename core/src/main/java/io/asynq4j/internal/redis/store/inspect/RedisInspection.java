package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.task.QueueRegistry;
import io.asynq4j.internal.redis.store.task.RedisAggregation;
import io.asynq4j.internal.redis.store.task.RedisUpkeep;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Redis implementation of inspection. Delegates to one class per responsibility. */
public final class RedisInspection implements Inspection {

  private final QueueReader queues;
  private final QueueSettingsStore settings;
  private final TaskReader tasks;
  private final TaskEditor editor;
  private final OperatorActions actions;
  private final QueueRemover remover;

  public RedisInspection(
      ScriptRunner scripts,
      RedisCommandExecutor link,
      BrokerTime time,
      QueueRegistry registry,
      RedisAggregation aggregation,
      RedisUpkeep upkeep) {
    this.queues = new QueueReader(scripts, link, time);
    this.settings = new QueueSettingsStore(link, time);
    this.tasks = new TaskReader(scripts, link, queues);
    this.editor = new TaskEditor(scripts, tasks);
    this.actions = new OperatorActions(scripts, queues, tasks);
    this.remover = new QueueRemover(scripts, link, registry, queues, actions, aggregation, upkeep);
  }

  @Override
  public Set<String> queues() {
    return queues.queues();
  }

  @Override
  public void requireQueue(QueueName queue) {
    queues.requireQueue(queue);
  }

  @Override
  public QueueStats stats(QueueName queue) {
    return queues.stats(queue);
  }

  @Override
  public QueueStats statsOfListed(QueueName queue) {
    return queues.statsOfListed(queue);
  }

  @Override
  public OptionalLong memoryUsage(QueueName queue) {
    return queues.memoryUsage(queue);
  }

  @Override
  public List<DailyStats> history(QueueName queue, int days) {
    return queues.history(queue, days);
  }

  @Override
  public Map<String, Long> groupSizes(QueueName queue) {
    return queues.groupSizes(queue);
  }

  @Override
  public TaskInfo task(QueueName queue, String id) {
    return tasks.task(queue, id);
  }

  @Override
  public long count(QueueName queue, Collection<String> ids) {
    return tasks.count(queue, ids);
  }

  @Override
  public List<QueueName> having(Collection<QueueName> queues, String id) {
    return tasks.having(queues, id);
  }

  @Override
  public Stored stored(QueueName queue, String id) {
    return tasks.stored(queue, id);
  }

  @Override
  public long ahead(QueueName queue, String id) {
    return tasks.ahead(queue, id);
  }

  @Override
  public Page list(QueueName queue, Listing listing) {
    return tasks.list(queue, listing);
  }

  @Override
  public void markCancelled(QueueName queue, String id, AfterCancel after) {
    actions.markCancelled(queue, id, after);
  }

  @Override
  public List<ActionAnswer> run(QueueName queue, List<String> ids) {
    return actions.run(queue, ids);
  }

  @Override
  public Archived archive(
      QueueName queue, List<String> ids, ArchiveRules rules, WhenFull whenFull) {
    return actions.archive(queue, ids, rules, whenFull);
  }

  @Override
  public List<ActionAnswer> delete(QueueName queue, List<String> ids) {
    return actions.delete(queue, ids);
  }

  @Override
  public boolean deleteIf(QueueName queue, String id, Predicate<TaskInfo> condition) {
    return editor.deleteIf(queue, id, condition);
  }

  @Override
  public List<ActionAnswer> reschedule(QueueName queue, List<String> ids, Instant due) {
    return actions.reschedule(queue, ids, due);
  }

  @Override
  public int runAll(
      QueueName queue, TaskState state, @Nullable String group, IntConsumer progress) {
    return actions.runAll(queue, state, group, progress);
  }

  @Override
  public ArchivedAll archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      WhenFull whenFull,
      IntConsumer progress) {
    return actions.archiveAll(queue, state, group, rules, whenFull, progress);
  }

  @Override
  public int deleteAll(
      QueueName queue, TaskState state, @Nullable String group, IntConsumer progress) {
    return actions.deleteAll(queue, state, group, progress);
  }

  @Override
  public void removeQueue(QueueName queue, boolean force) {
    remover.removeQueue(queue, force);
  }

  @Override
  public void updatePayload(QueueName queue, String id, Payload payload) {
    editor.updatePayload(queue, id, payload);
  }

  @Override
  public void updateHeaders(
      QueueName queue, String id, UnaryOperator<Map<String, String>> newHeaders) {
    editor.updateHeaders(queue, id, newHeaders);
  }

  @Override
  public boolean pause(QueueName queue) {
    return settings.pause(queue);
  }

  @Override
  public boolean resume(QueueName queue) {
    return settings.resume(queue);
  }

  @Override
  public List<FailedAttempt> failures(QueueName queue, String id) {
    return tasks.failures(queue, id);
  }

  @Override
  public Optional<Instant> pausedSince(QueueName queue) {
    return settings.pausedSince(queue);
  }

  @Override
  public Settings settings(QueueName queue) {
    return settings.settings(queue);
  }

  @Override
  public Optional<Pace> pace(QueueName queue) {
    return settings.pace(queue);
  }

  @Override
  public void set(QueueName queue, Settings newSettings) {
    settings.set(queue, newSettings);
  }

  @Override
  public int slot(QueueName queue) {
    return queues.slot(queue);
  }

  @Override
  public List<String> nodes(QueueName queue) {
    return queues.nodes(queue);
  }

  @Override
  public Map<String, String> redisInfo() {
    return queues.redisInfo();
  }
}
