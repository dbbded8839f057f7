package io.asynq4j.internal.redis.store;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.watch.RedisStoreWatch;
import io.asynq4j.internal.redis.watch.RedisStoreWatch.Shard;
import io.asynq4j.internal.redis.watch.ShardFanOut;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.internal.time.WholeSeconds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * Periodic entries in Redis. The state of an entry is in the slot of its queue, so that a task
 * comes in and its entry gets further in one step; which queue that is, is in one place for all.
 */
final class RedisScheduleStore implements ScheduleStore {

  private static final Logger log = LoggerFactory.getLogger(RedisScheduleStore.class);

  /** The fields of an entry's state, in the order in which scripts tell them. */
  private static final List<String> STATE = List.of("anchor", "from", "last", "paused", "run");

  private static final int ANCHOR = 0;
  private static final int FROM = 1;
  private static final int LAST = 2;
  private static final int PAUSED = 3;
  private static final int RUN = 4;

  private static final List<String> SPEC_AND_STATE =
      List.of("spec", "anchor", "from", "last", "paused", "run");

  /** Of an entry that comes from no other queue. */
  private static final List<String> NO_LEGACY = Collections.nCopies(SPEC_AND_STATE.size(), "");

  /** Set while an entry moves into another queue. */
  private static final String LEAVING = "leaving";

  private static final List<String> STATE_AND_LEAVING =
      List.of("anchor", "from", "last", "paused", "run", LEAVING);

  /** Beside the names of entries, none of which is empty: counts what operators did. */
  private static final String REVISION = "";

  private static final long NOT_TO_BE_FIRED = -1;

  /** How long a list of all entries waits for a server of a cluster. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final ShardFanOut questions = new ShardFanOut();
  private final ScriptRunner scripts;
  private final RedisCommandExecutor link;
  private final BrokerTime time;
  private final UnreadableDataLog unreadables = new UnreadableDataLog();
  private final QueueRegistry registry;
  private final Set<String> skippedNames = ConcurrentHashMap.newKeySet();

  RedisScheduleStore(
      ScriptRunner scripts, RedisCommandExecutor link, BrokerTime time, QueueRegistry registry) {
    this.scripts = scripts;
    this.link = link;
    this.time = time;
    this.registry = registry;
  }

  // Not in one step: that the lock may end in between makes two leaders at worst, and those do no
  // harm.
  @Override
  public boolean lead(String group, String schedulerId, Duration ttl) {
    String key = RedisKeys.schedulerLeader(group);
    long seconds = WholeSeconds.ceil(ttl);
    String leader = ReplyParser.text(call(key, Command.GET, key));
    if (leader.equals(schedulerId)) {
      return ReplyParser.number(call(key, Command.EXPIRE, key, Long.toString(seconds))) == 1;
    }
    return leader.isEmpty()
        && call(key, Command.SET, key, schedulerId, "NX", "EX", Long.toString(seconds)) != null;
  }

  @Override
  public void resign(String group, String schedulerId) {
    String key = RedisKeys.schedulerLeader(group);
    if (ReplyParser.text(call(key, Command.GET, key)).equals(schedulerId)) {
      call(key, Command.DEL, key);
    }
  }

  /**
   * The state of an entry follows it into another queue, which may lie on another node: it is
   * frozen there, taken over here, then deleted there. Whoever is interrupted leaves what the next
   * one finishes, and it never fires in both.
   */
  @Override
  public Map<String, State> enroll(Collection<Entry> entries) {
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
      read(states, batch, STATE.size(), ReplyParser.list(scripts.run(Script.ENROLL, queue, args)));
    }
  }

  /** Entries that cannot be dealt with now, which must not keep the others waiting. */
  private final class Skipped {
    private final Set<Entry> entries = new HashSet<>();
    private @Nullable BrokerException first;

    void add(Collection<Entry> some, BrokerException failure) {
      for (Entry entry : some) {
        entries.add(entry);
        if (skippedNames.add(entry.name())) {
          log.warn(
              "schedule entry {} of queue {} waits, others are fired: {}",
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

    /** The states of the other entries. Fails when there is none, so that the caller knows why. */
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
   * What entries had in the queues that they leave, where nobody fires them any more. In a cluster
   * such a queue may be on a server that is silent.
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

  /** Throws the failure unless it can be about the queue that an entry leaves, and nothing else. */
  private void requireIsolated(String left, BrokerException failure) {
    if (left.isEmpty()
        || (failure instanceof BrokerUnavailableException && !link.isKnownAsSharded())) {
      throw failure;
    }
  }

  /** The entries that are not listed where they are now, each with the queue where it is listed. */
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
          unlisted.put(batch.get(i), isQueue(listed) ? listed : "");
        }
      }
    }
    return unlisted;
  }

  private static boolean isQueue(String name) {
    try {
      return !QueueName.of(name).value().isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private List<String> legacy(String name, QueueName queue) {
    String key = RedisKeys.of(queue, "schedules");
    List<String> values = new ArrayList<>(NO_LEGACY);
    ifReadable(
        queue,
        () -> {
          call(key, Command.HSET, key, field(LEAVING, name), "1");
          values.clear();
          fields(queue, name, SPEC_AND_STATE)
              .forEach(value -> values.add(value == null ? "" : ReplyParser.text(value)));
        });
    return values;
  }

  private void list(Entry entry, String left) {
    if (!left.isEmpty()) {
      ifReadable(QueueName.of(left), () -> delete(QueueName.of(left), entry.name()));
    }
    call(
        RedisKeys.SCHEDULES,
        Command.HSET,
        RedisKeys.SCHEDULES,
        entry.name(),
        entry.queue().value());
  }

  @Override
  public Map<String, State> look(Collection<Entry> entries) {
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
      CommandArgs args = new CommandArgs(1 + batch.size() * STATE_AND_LEAVING.size());
      args.add(RedisKeys.of(queue, "schedules"));
      for (Entry entry : batch) {
        STATE_AND_LEAVING.forEach(word -> args.add(field(word, entry.name())));
      }
      read(
          states,
          batch,
          STATE_AND_LEAVING.size(),
          ReplyParser.list(
              link.call(RedisKeys.prefix(queue), ResendPolicy.SAFE, Command.HMGET, args)));
    }
  }

  /** A queue whose state of entries is of another type must not keep other queues' from firing. */
  private void ifReadable(QueueName queue, Runnable call) {
    try {
      call.run();
    } catch (BrokerRefusedException e) {
      if (e.reason() != BrokerRefusedException.Reason.REQUEST) {
        throw e;
      }
      unreadables.warn(
          RedisKeys.of(queue, "schedules"),
          e,
          "entries of queue " + queue.value() + " do not fire");
    }
  }

  private static Map<QueueName, List<Entry>> byQueue(Collection<Entry> entries) {
    Map<QueueName, List<Entry>> byQueue = new LinkedHashMap<>();
    entries.forEach(
        entry -> byQueue.computeIfAbsent(entry.queue(), queue -> new ArrayList<>()).add(entry));
    return byQueue;
  }

  /**
   * @param width how many values there are for each entry
   */
  private void read(
      Map<String, State> states, List<Entry> entries, int width, List<@Nullable Object> values) {
    for (int i = 0; i < entries.size(); i++) {
      List<@Nullable Object> of = values.subList(i * width, (i + 1) * width);
      boolean leaves = width > STATE.size() && of.get(STATE.size()) != null;
      if (of.get(FROM) != null && !leaves) {
        String name = entries.get(i).name();
        try {
          states.put(name, state(of));
        } catch (IllegalArgumentException e) {
          unreadables.warn("the state of schedule entry " + name, e, "the entry does not fire");
        }
      }
    }
  }

  private static State state(List<@Nullable Object> values) {
    Instant from = Objects.requireNonNull(instant(values.get(FROM)));
    Instant anchor = instant(values.get(ANCHOR));
    return new State(
        anchor == null ? from : anchor,
        from,
        instant(values.get(LAST)),
        instant(values.get(PAUSED)),
        instant(values.get(RUN)));
  }

  private static @Nullable Instant instant(@Nullable Object millis) {
    if (millis == null) {
      return null;
    }
    String text = millis instanceof Long number ? number.toString() : ReplyParser.text(millis);
    double value = ReplyParser.decimal(text, -1);
    boolean isTime = value >= 0 && value <= TimeMath.LATEST.toEpochMilli();
    if (!isTime) {
      throw new IllegalArgumentException("not a time: \"" + text + "\"");
    }
    return Instant.ofEpochMilli((long) value);
  }

  @Override
  public long revision() {
    String revision =
        ReplyParser.text(call(RedisKeys.SCHEDULES, Command.HGET, RedisKeys.SCHEDULES, REVISION));
    return (long) ReplyParser.decimal(revision, 0);
  }

  private void changed() {
    try {
      call(RedisKeys.SCHEDULES, Command.HINCRBY, RedisKeys.SCHEDULES, REVISION, "1");
    } catch (BrokerRefusedException e) {
      // Not a number: any other value than before tells schedulers to look.
      String now = Long.toString(time.clock().instant().toEpochMilli());
      call(RedisKeys.SCHEDULES, Command.HSET, RedisKeys.SCHEDULES, REVISION, now);
    }
  }

  @Override
  public List<@Nullable EnqueueReply> fire(QueueName queue, List<Firing> firings) {
    if (firings.size() > MOST_FIRINGS) {
      throw new IllegalArgumentException(
          "one call fires " + MOST_FIRINGS + " tasks at most, not " + firings.size());
    }
    registry.register(queue);
    CommandArgs args = new CommandArgs(firings.size() * Script.FIRE.items().size());
    for (Firing firing : firings) {
      Instant decided = firing.decided();
      args.add(firing.entry())
          .add(decided == null ? "" : Long.toString(decided.toEpochMilli()))
          .add(firing.instant().toEpochMilli());
      RedisEnqueueOperations.add(args, firing.task());
    }
    List<@Nullable EnqueueReply> answers = new ArrayList<>(firings.size());
    for (Object reply : ReplyParser.list(scripts.run(Script.FIRE, queue, args))) {
      answers.add(
          reply instanceof Long code && code == NOT_TO_BE_FIRED
              ? null
              : RedisEnqueueOperations.answer(reply));
    }
    return answers;
  }

  @Override
  public void forget(String name) {
    String queue =
        ReplyParser.text(call(RedisKeys.SCHEDULES, Command.HGET, RedisKeys.SCHEDULES, name));
    if (!queue.isEmpty()) {
      if (isQueue(queue)) {
        ifReadable(QueueName.of(queue), () -> delete(QueueName.of(queue), name));
      }
      call(RedisKeys.SCHEDULES, Command.HDEL, RedisKeys.SCHEDULES, name);
      changed();
    }
  }

  private void delete(QueueName queue, String name) {
    CommandArgs args =
        new CommandArgs().add(RedisKeys.of(queue, "schedules")).add(field(LEAVING, name));
    SPEC_AND_STATE.forEach(word -> args.add(field(word, name)));
    link.call(RedisKeys.prefix(queue), ResendPolicy.SAFE, Command.HDEL, args);
  }

  @Override
  public List<Known> known(Consumer<Unreadable> broken) {
    Map<String, String> queues = new TreeMap<>();
    List<@Nullable Object> flat =
        ReplyParser.list(call(RedisKeys.SCHEDULES, Command.HGETALL, RedisKeys.SCHEDULES));
    for (int i = 0; i < flat.size(); i += 2) {
      queues.put(ReplyParser.text(flat.get(i)), ReplyParser.text(flat.get(i + 1)));
    }
    queues.remove(REVISION);
    Found all = new Found();
    Map<QueueName, List<String>> byQueue = new LinkedHashMap<>();
    queues.forEach(
        (name, queue) -> {
          try {
            byQueue.computeIfAbsent(QueueName.of(queue), any -> new ArrayList<>()).add(name);
          } catch (IllegalArgumentException e) {
            all.unreadable().add(unreadable(name, queue, e));
          }
        });
    Collection<Shard> shards = RedisStoreWatch.shards(link, byQueue.keySet());
    if (link.isKnownAsSharded()) {
      findWhereAnswered(shards, byQueue, all);
    } else {
      shards.forEach(shard -> all.add(find(shard, byQueue)));
    }
    all.unreadable().forEach(broken);
    all.known().sort(Comparator.comparing(one -> one.entry().name()));
    return all.known();
  }

  /** An entry and the queue that has its state. */
  private record Listed(String name, QueueName queue) {}

  /** Entries that were found, and those that cannot be read. */
  private record Found(List<Known> known, List<Unreadable> unreadable) {
    Found() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    void add(Found other) {
      known.addAll(other.known);
      unreadable.addAll(other.unreadable);
    }
  }

  /** Asks all servers of a cluster at the same time: a silent one hides only its own entries. */
  private void findWhereAnswered(
      Collection<Shard> shards, Map<QueueName, List<String>> byQueue, Found all) {
    Map<QueueName, List<String>> unanswered = new LinkedHashMap<>(byQueue);
    questions
        .askAll(shards, shard -> find(shard, byQueue), PATIENCE)
        .forEach(
            (shard, found) -> {
              shard.queues().forEach(unanswered::remove);
              all.add(found);
            });
    unanswered.forEach(
        (queue, names) -> {
          String reason = "the Redis server of queue " + queue.value() + " does not answer";
          names.forEach(name -> all.unreadable().add(new Unreadable(name, queue.value(), reason)));
        });
  }

  /** Reads the entries of all queues of one server, many in each round trip. */
  private Found find(Shard shard, Map<QueueName, List<String>> byQueue) {
    List<Listed> entries = new ArrayList<>();
    for (QueueName queue : shard.queues()) {
      byQueue.getOrDefault(queue, List.of()).forEach(name -> entries.add(new Listed(name, queue)));
    }
    Found found = new Found();
    for (List<Listed> batch : BatchSplitter.of(entries)) {
      List<CommandArguments> commands =
          batch.stream()
              .map(entry -> fieldsOf(entry.queue(), entry.name(), SPEC_AND_STATE))
              .map(args -> new CommandArguments(Command.HMGET).addObjects(args.values()))
              .toList();
      List<@Nullable Object> answers = link.callAll(shard.slot(), commands);
      for (int i = 0; i < batch.size(); i++) {
        find(batch.get(i), answers.get(i), found);
      }
    }
    return found;
  }

  /**
   * @param answer anything but a list is an error, such as that of a slot that has moved
   */
  private void find(Listed entry, @Nullable Object answer, Found found) {
    try {
      Optional<Known> known =
          answer instanceof List<?>
              ? known(entry.name(), entry.queue(), ReplyParser.list(answer))
              : find(entry.name(), entry.queue());
      known.ifPresent(found.known()::add);
    } catch (IllegalArgumentException | BrokerRefusedException e) {
      found.unreadable().add(unreadable(entry.name(), entry.queue().value(), e));
    }
  }

  private Unreadable unreadable(String name, String queue, RuntimeException e) {
    unreadables.warn("schedule entry " + name, e, "it is shown as broken");
    String reason = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    return new Unreadable(name, queue, reason);
  }

  @Override
  public boolean isListed(String name) {
    return !name.isEmpty()
        && call(RedisKeys.SCHEDULES, Command.HGET, RedisKeys.SCHEDULES, name) != null;
  }

  @Override
  public Known known(String name) {
    return find(name, queueOf(name)).orElseThrow(() -> new ScheduleNotFoundException(name));
  }

  /** Throws an {@code IllegalArgumentException} when the state cannot be read. */
  private Optional<Known> find(String name, QueueName queue) {
    return known(name, queue, fields(queue, name, SPEC_AND_STATE));
  }

  private static Optional<Known> known(
      String name, QueueName queue, List<@Nullable Object> specAndState) {
    List<@Nullable Object> state = specAndState.subList(1, specAndState.size());
    return state.get(FROM) == null
        ? Optional.empty()
        : Optional.of(
            new Known(new Entry(name, queue, ReplyParser.text(specAndState.get(0))), state(state)));
  }

  private List<@Nullable Object> fields(QueueName queue, String name, List<String> words) {
    return ReplyParser.list(
        link.call(
            RedisKeys.prefix(queue),
            ResendPolicy.SAFE,
            Command.HMGET,
            fieldsOf(queue, name, words)));
  }

  private static CommandArgs fieldsOf(QueueName queue, String name, List<String> words) {
    CommandArgs args = new CommandArgs(1 + words.size()).add(RedisKeys.of(queue, "schedules"));
    words.forEach(word -> args.add(field(word, name)));
    return args;
  }

  @Override
  public boolean pause(String name) {
    String key = RedisKeys.of(queueOf(name), "schedules");
    String now = Long.toString(time.clock().instant().toEpochMilli());
    boolean isNew =
        ReplyParser.number(call(key, Command.HSET, key, field("paused", name), now)) == 1;
    changed();
    return isNew;
  }

  @Override
  public boolean resume(String name) {
    String key = RedisKeys.of(queueOf(name), "schedules");
    if (call(key, Command.HGET, key, field("paused", name)) == null) {
      return false;
    }
    String now = Long.toString(time.clock().instant().toEpochMilli());
    call(key, Command.HSET, key, field("from", name), now);
    call(key, Command.HDEL, key, field("paused", name));
    changed();
    return true;
  }

  @Override
  public void requestRun(String name) {
    String key = RedisKeys.of(queueOf(name), "schedules");
    String now = Long.toString(time.clock().instant().toEpochMilli());
    call(key, Command.HSET, key, field("run", name), now);
    changed();
  }

  private QueueName queueOf(String name) {
    String queue =
        name.isEmpty()
            ? ""
            : ReplyParser.text(call(RedisKeys.SCHEDULES, Command.HGET, RedisKeys.SCHEDULES, name));
    if (queue.isEmpty()) {
      throw new ScheduleNotFoundException(name);
    }
    return QueueName.of(queue);
  }

  private static String field(String word, String entry) {
    return word + ":" + entry;
  }

  /** A command that may be done twice. */
  private @Nullable Object call(String key, Command command, String... words) {
    CommandArgs args = new CommandArgs(words.length);
    for (String word : words) {
      args.add(word);
    }
    return link.call(key, ResendPolicy.SAFE, command, args);
  }
}
