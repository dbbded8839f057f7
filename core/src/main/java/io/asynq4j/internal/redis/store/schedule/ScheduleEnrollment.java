package io.asynq4j.internal.redis.store.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.ScheduleLedger.Entry;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.task.BatchSplitter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

  /** The state of an entry that comes from no other queue. */
  private static final List<String> NO_LEGACY =
      Collections.nCopies(ScheduleRecords.SPEC_AND_STATE.size(), "");

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
    Map<Entry, String> unlisted = unlisted(entries);
    Skipped skipped = new Skipped();
    Map<Entry, List<String>> legacies = legacies(unlisted, skipped);
    Map<String, State> states = new HashMap<>();
    byQueue(entries)
        .forEach(
            (queue, ofQueue) -> {
              List<Entry> some = ofQueue.stream().filter(skipped::isWithout).toList();
              try {
                enroll(queue, some, legacies, states);
              } catch (BrokerRefusedException e) {
                skipped.add(some, e);
              }
            });
    unlisted.forEach(
        (entry, left) -> {
          if (skipped.isWithout(entry)) {
            try {
              list(entry, left);
            } catch (BrokerException e) {
              requireIsolated(left, e);
              skipped.add(List.of(entry), e);
            }
          }
        });
    return skipped.from(states);
  }

  private void enroll(
      QueueName queue,
      List<Entry> some,
      Map<Entry, List<String>> legacies,
      Map<String, State> states) {
    for (List<Entry> batch : BatchSplitter.of(some)) {
      CommandArgs args = new CommandArgs(batch.size() * Script.ENROLL.items().size());
      for (Entry entry : batch) {
        args.add(entry.name()).add(entry.spec());
        legacies.getOrDefault(entry, NO_LEGACY).forEach(args::add);
      }
      read(
          states, batch, ScheduleRecords.STATE.size(), scripts.runList(Script.ENROLL, queue, args));
    }
  }

  Map<String, State> look(Collection<Entry> entries) {
    Map<String, State> states = new HashMap<>();
    Skipped skipped = new Skipped();
    byQueue(entries)
        .forEach(
            (queue, some) -> {
              try {
                look(queue, some, states);
              } catch (BrokerRefusedException e) {
                skipped.add(some, e);
              }
            });
    return skipped.from(states);
  }

  private void look(QueueName queue, List<Entry> some, Map<String, State> states) {
    for (List<Entry> batch : BatchSplitter.of(some)) {
      CommandArgs args =
          new CommandArgs(1 + batch.size() * ScheduleRecords.STATE_AND_LEAVING.size());
      args.add(ScheduleRecords.key(queue));
      for (Entry entry : batch) {
        ScheduleRecords.STATE_AND_LEAVING.forEach(
            word -> args.add(ScheduleRecords.field(word, entry.name())));
      }
      read(
          states,
          batch,
          ScheduleRecords.STATE_AND_LEAVING.size(),
          ReplyParser.list(
              link.call(RedisKeys.prefix(queue), ResendPolicy.SAFE, Command.HMGET, args)));
    }
  }

  /** Entries that cannot be handled now and must not delay the others. */
  private final class Skipped {
    private final Set<Entry> entries = new HashSet<>();
    private @Nullable BrokerException first;

    void add(Collection<Entry> some, BrokerException failure) {
      for (Entry entry : some) {
        entries.add(entry);
        if (skippedNames.add(entry.name())) {
          log.warn(
              "schedule entry {} of queue {} does not fire for now, other entries do: {}",
              entry.name(),
              entry.queue(),
              failure.getMessage());
        }
      }
      first = first == null ? failure : first;
    }

    boolean isWithout(Entry entry) {
      return !entries.contains(entry);
    }

    /**
     * Returns the states of the other entries. Throws if none remains, so that the caller gets the
     * cause.
     */
    Map<String, State> from(Map<String, State> states) {
      entries.forEach(entry -> states.remove(entry.name()));
      if (first != null && states.isEmpty()) {
        throw first;
      }
      skippedNames.removeAll(states.keySet());
      return states;
    }
  }

  /**
   * Reads the state of entries in the queues that they leave, where they no longer fire. In a
   * cluster such a queue may be on an unresponsive server.
   */
  private Map<Entry, List<String>> legacies(Map<Entry, String> unlisted, Skipped skipped) {
    Map<Entry, List<String>> legacies = new HashMap<>();
    Map<String, BrokerException> failures = new HashMap<>();
    unlisted.forEach(
        (entry, left) -> {
          if (left.isEmpty()) {
            return;
          }
          String server = link.shardOf(RedisKeys.slot(RedisKeys.prefix(QueueName.of(left))));
          BrokerException failure = failures.get(server);
          if (failure == null) {
            try {
              legacies.put(entry, legacy(entry.name(), QueueName.of(left)));
              return;
            } catch (BrokerException e) {
              requireIsolated(left, e);
              failure = e;
              if (e instanceof BrokerUnavailableException) {
                failures.put(server, e);
              }
            }
          }
          skipped.add(List.of(entry), failure);
        });
    return legacies;
  }

  /** Throws the failure unless it can only concern the queue that an entry leaves. */
  private void requireIsolated(String left, BrokerException failure) {
    if (left.isEmpty()
        || (failure instanceof BrokerUnavailableException && !link.isKnownAsSharded())) {
      throw failure;
    }
  }

  /**
   * Returns the entries that are not registered for their current queue, each with its registered
   * queue.
   */
  private Map<Entry, String> unlisted(Collection<Entry> entries) {
    Map<Entry, String> unlisted = new LinkedHashMap<>();
    for (List<Entry> batch : BatchSplitter.of(List.copyOf(entries))) {
      CommandArgs names = new CommandArgs(1 + batch.size()).add(RedisKeys.SCHEDULES);
      batch.forEach(entry -> names.add(entry.name()));
      List<@Nullable Object> queues =
          ReplyParser.list(link.call(RedisKeys.SCHEDULES, ResendPolicy.SAFE, Command.HMGET, names));
      for (int i = 0; i < batch.size(); i++) {
        String listed = ReplyParser.text(queues.get(i));
        if (!listed.equals(batch.get(i).queue().value())) {
          unlisted.put(batch.get(i), ScheduleRecords.isQueue(listed) ? listed : "");
        }
      }
    }
    return unlisted;
  }

  private List<String> legacy(String name, QueueName queue) {
    String key = ScheduleRecords.key(queue);
    List<String> values = new ArrayList<>(NO_LEGACY);
    records.ifReadable(
        queue,
        () -> {
          link.callSafe(
              Command.HSET, key, ScheduleRecords.field(ScheduleRecords.LEAVING, name), "1");
          values.clear();
          records
              .fields(queue, name, ScheduleRecords.SPEC_AND_STATE)
              .forEach(value -> values.add(value == null ? "" : ReplyParser.text(value)));
        });
    return values;
  }

  private void list(Entry entry, String left) {
    if (!left.isEmpty()) {
      records.ifReadable(
          QueueName.of(left), () -> records.delete(QueueName.of(left), entry.name()));
    }
    link.callSafe(Command.HSET, RedisKeys.SCHEDULES, entry.name(), entry.queue().value());
  }

  private static Map<QueueName, List<Entry>> byQueue(Collection<Entry> entries) {
    Map<QueueName, List<Entry>> byQueue = new LinkedHashMap<>();
    entries.forEach(
        entry -> byQueue.computeIfAbsent(entry.queue(), queue -> new ArrayList<>()).add(entry));
    return byQueue;
  }

  /**
   * @param width number of values per entry
   */
  private void read(
      Map<String, State> states, List<Entry> entries, int width, List<@Nullable Object> values) {
    for (int i = 0; i < entries.size(); i++) {
      List<@Nullable Object> of = values.subList(i * width, (i + 1) * width);
      boolean leaves =
          width > ScheduleRecords.STATE.size() && of.get(ScheduleRecords.STATE.size()) != null;
      if (ScheduleRecords.isState(of) && !leaves) {
        String name = entries.get(i).name();
        try {
          states.put(name, ScheduleRecords.state(of));
        } catch (IllegalArgumentException e) {
          records
              .unreadables()
              .warn("the state of schedule entry " + name, e, "the entry does not fire");
        }
      }
    }
  }
}
