package io.asynq4j.internal.redis.store.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.ScheduleLedger.Entry;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol.Command;

/**
 * Enrolls schedule entries in their queues and reads their progress. An entry that cannot be
 * reached is skipped; the others fire. Thread-safe.
 */
final class ScheduleEnrollment {

  private static final Logger log = LoggerFactory.getLogger(ScheduleEnrollment.class);

  private final ScriptRunner scripts;
  private final RedisCommandExecutor link;
  private final ScheduleRecords records;
  private final Set<String> skippedNames = ConcurrentHashMap.newKeySet();

  ScheduleEnrollment(ScriptRunner scripts, RedisCommandExecutor link, ScheduleRecords records) {
    this.scripts = scripts;
    this.link = link;
    this.records = records;
  }

  /**
   * The state of an entry follows it to a new queue, possibly on another node: it is frozen in the
   * old queue, copied to the new one, then deleted from the old one. An interrupted move is
   * completed by the next caller, and the entry never fires in both queues.
   */
  Map<String, State> enroll(Collection<Entry> entries) {
    Map<Entry, Optional<QueueName>> unlisted = unlisted(entries);
    Skipped skipped = new Skipped();
    Map<Entry, List<String>> left = new HashMap<>();
    unlisted.forEach(
        (entry, from) ->
            from.ifPresent(
                queue ->
                    skipped.attempt(
                        entry, from, () -> left.put(entry, records.leave(queue, entry.name())))));
    Map<String, State> states = new HashMap<>();
    forEachBatch(
        entries.stream().filter(skipped::isWithout),
        skipped,
        (queue, batch) -> {
          CommandArgs args = new CommandArgs(batch.size() * Script.ENROLL.items().size());
          for (Entry entry : batch) {
            args.add(entry.name()).add(entry.spec());
            left.getOrDefault(entry, ScheduleRecords.NO_STATE).forEach(args::add);
          }
          List<@Nullable Object> values = scripts.runList(Script.ENROLL, queue, args);
          int width = values.size() / batch.size();
          for (int i = 0; i < batch.size(); i++) {
            read(states, batch.get(i), values.subList(i * width, (i + 1) * width));
          }
        });
    unlisted.forEach(
        (entry, from) ->
            skipped.attempt(
                entry,
                from,
                () -> {
                  from.ifPresent(queue -> records.delete(queue, entry.name()));
                  link.callSafe(
                      Command.HSET, RedisKeys.SCHEDULES, entry.name(), entry.queue().value());
                }));
    return skipped.from(states);
  }

  Map<String, State> look(Collection<Entry> entries) {
    Map<String, State> states = new HashMap<>();
    Skipped skipped = new Skipped();
    int width = ScheduleRecords.FIELDS.size();
    forEachBatch(
        entries.stream(),
        skipped,
        (queue, batch) -> {
          List<@Nullable Object> values =
              records.read(queue, batch.stream().map(Entry::name).toList());
          for (int i = 0; i < batch.size(); i++) {
            List<@Nullable Object> fields = values.subList(i * width, (i + 1) * width);
            boolean leaves = fields.get(width - 1) != null;
            if (!leaves) {
              read(states, batch.get(i), fields.subList(1, width - 1));
            }
          }
        });
    return skipped.from(states);
  }

  /** Calls Redis for the entries of each queue. A queue that Redis refuses is skipped. */
  private static void forEachBatch(
      Stream<Entry> entries, Skipped skipped, BiConsumer<QueueName, List<Entry>> call) {
    entries
        .collect(Collectors.groupingBy(Entry::queue, LinkedHashMap::new, Collectors.toList()))
        .forEach(
            (queue, some) -> {
              try {
                BatchSplitter.of(some).forEach(batch -> call.accept(queue, batch));
              } catch (BrokerRefusedException e) {
                skipped.add(some, e);
              }
            });
  }

  /** Entries that cannot be handled now and must not delay the others. */
  private final class Skipped {
    private final Map<Entry, BrokerException> failures = new LinkedHashMap<>();
    private final Map<Optional<String>, BrokerException> outages = new HashMap<>();

    void add(Collection<Entry> some, BrokerException failure) {
      for (Entry entry : some) {
        failures.putIfAbsent(entry, failure);
        if (skippedNames.add(entry.name())) {
          log.warn(
              "schedule entry {} of queue {} does not fire for now, other entries do: {}",
              entry.name(),
              entry.queue(),
              failure.getMessage());
        }
      }
    }

    /**
     * Makes a call for an entry, unless it is skipped. A failure that can only concern the queue
     * that the entry leaves skips the entry. In a cluster such a queue may be on an unresponsive
     * server, which is called once.
     */
    void attempt(Entry entry, Optional<QueueName> left, Runnable call) {
      Optional<String> server =
          left.map(queue -> link.shardOf(RedisKeys.slot(RedisKeys.prefix(queue))));
      BrokerException failure = outages.get(server);
      if (failure == null && isWithout(entry)) {
        try {
          call.run();
        } catch (BrokerException e) {
          boolean isOutage = e instanceof BrokerUnavailableException;
          if (left.isEmpty() || (isOutage && !link.isKnownAsSharded())) {
            throw e;
          }
          if (isOutage) {
            outages.put(server, e);
          }
          failure = e;
        }
      }
      if (failure != null) {
        add(List.of(entry), failure);
      }
    }

    boolean isWithout(Entry entry) {
      return !failures.containsKey(entry);
    }

    /**
     * Returns the states of the other entries. Throws if none remains, so that the caller gets the
     * cause.
     */
    Map<String, State> from(Map<String, State> states) {
      failures.keySet().forEach(entry -> states.remove(entry.name()));
      if (!failures.isEmpty() && states.isEmpty()) {
        throw failures.values().iterator().next();
      }
      skippedNames.removeAll(states.keySet());
      return states;
    }
  }

  /**
   * Returns the entries that are not registered for their current queue, each with its registered
   * queue.
   */
  private Map<Entry, Optional<QueueName>> unlisted(Collection<Entry> entries) {
    Map<Entry, Optional<QueueName>> unlisted = new LinkedHashMap<>();
    for (List<Entry> batch : BatchSplitter.of(List.copyOf(entries))) {
      List<String> queues =
          ReplyParser.texts(
              link.callSafe(
                  Command.HMGET, RedisKeys.SCHEDULES, batch.stream().map(Entry::name).toArray()));
      for (int i = 0; i < batch.size(); i++) {
        if (!queues.get(i).equals(batch.get(i).queue().value())) {
          unlisted.put(batch.get(i), ScheduleRecords.queue(queues.get(i)));
        }
      }
    }
    return unlisted;
  }

  private void read(Map<String, State> states, Entry entry, List<@Nullable Object> values) {
    try {
      State state = ScheduleRecords.state(values);
      if (state != null) {
        states.put(entry.name(), state);
      }
    } catch (IllegalArgumentException e) {
      records.unreadables.warn(
          "the state of schedule entry " + entry.name(), e, "the entry does not fire");
    }
  }
}
