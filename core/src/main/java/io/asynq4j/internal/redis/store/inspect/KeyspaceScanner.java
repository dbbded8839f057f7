package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Diagnostics.Subject;
import io.asynq4j.internal.broker.Diagnostics.SubjectKind;
import io.asynq4j.internal.broker.KeyspaceScan;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** Redis implementation of the scan of keys and containers. */
public final class KeyspaceScanner implements KeyspaceScan {

  private static final int KEYS_PER_SCAN = 1000;
  private static final int IDS_PER_PAGE = 1000;
  private static final int MEMBERS_PER_SCAN = 500;
  private static final String START = "0";

  private static final Set<String> LISTS = Set.of("pending", "active");

  /** Key suffixes that prove that a queue has tasks, besides task records. */
  static final Set<String> CONTAINERS =
      Set.of(
          "pending",
          "active",
          "lease",
          "scheduled",
          "retry",
          "archived",
          "completed",
          "aggregation_sets");

  private final RedisCommandExecutor link;

  public KeyspaceScanner(RedisCommandExecutor link) {
    this.link = link;
  }

  @Override
  public Members members(QueueName queue, String container, String cursor) {
    String key = RedisKeys.of(queue, container);
    if (LISTS.contains(container)) {
      return listed(key, cursor.isEmpty() ? 0 : Long.parseLong(cursor));
    }
    boolean isSet = container.equals("groups");
    Command command = isSet ? Command.SSCAN : Command.ZSCAN;
    String from = cursor.isEmpty() ? START : cursor;
    List<@Nullable Object> page =
        ReplyParser.list(link.callSafe(command, key, from, "COUNT", MEMBERS_PER_SCAN));
    List<@Nullable Object> found = ReplyParser.list(page.get(1));
    List<String> members = new ArrayList<>();
    // Members of a sorted set come with their scores.
    for (int i = 0; i < found.size(); i += isSet ? 1 : 2) {
      members.add(ReplyParser.text(found.get(i)));
    }
    return new Members(members, next(page));
  }

  /**
   * Reads from the left, where tasks are added: tasks added meanwhile make the scan return others
   * twice.
   */
  private Members listed(String key, long from) {
    List<String> ids =
        ReplyParser.texts(link.callSafe(Command.LRANGE, key, from, from + IDS_PER_PAGE - 1));
    return new Members(ids, ids.size() < IDS_PER_PAGE ? "" : Long.toString(from + IDS_PER_PAGE));
  }

  @Override
  public List<Node> nodes(@Nullable QueueName queue) {
    if (queue != null || !link.isSharded()) {
      int slot = queue == null ? 0 : RedisKeys.slot(RedisKeys.prefix(queue));
      return List.of(new Node(link.serverOf(slot).name(), slot));
    }
    Map<String, Node> nodes = new LinkedHashMap<>();
    for (int slot = 0; slot < RedisKeys.SLOTS; slot++) {
      String name = link.serverOf(slot).name();
      nodes.putIfAbsent(name, new Node(name, slot));
    }
    return List.copyOf(nodes.values());
  }

  @Override
  public Keyspace keys(
      Node node, @Nullable QueueName queue, Set<String> registered, String cursor) {
    if (!link.serverOf(node.slot()).name().equals(node.name())) {
      return new Keyspace(List.of(), "", /* moved= */ true);
    }
    String pattern = queue == null ? "asynq:*" : RedisKeys.pattern(RedisKeys.prefix(queue));
    CommandArgs args = new CommandArgs().add(cursor.isEmpty() ? START : cursor);
    args.add("MATCH").add(pattern).add("COUNT").add(KEYS_PER_SCAN);
    List<@Nullable Object> page =
        ReplyParser.list(link.call(node.slot(), ResendPolicy.SAFE, Command.SCAN, args));
    List<Subject> subjects = new ArrayList<>();
    for (Object key : ReplyParser.list(page.get(1))) {
      Subject subject = subject(ReplyParser.text(key), queue, registered);
      if (subject != null) {
        subjects.add(subject);
      }
    }
    return new Keyspace(subjects, next(page), /* moved= */ false);
  }

  private static String next(List<@Nullable Object> page) {
    String cursor = ReplyParser.text(page.get(0));
    return cursor.equals(START) ? "" : cursor;
  }

  private static @Nullable Subject subject(
      String key, @Nullable QueueName queue, Set<String> registered) {
    if (key.startsWith("asynq:{")) {
      QueueName owner = queue != null ? queue : queueOf(key, registered);
      return owner == null ? null : ofQueue(owner, key.substring(RedisKeys.prefix(owner).length()));
    }
    if (key.startsWith(RedisKeys.schedulerHistory(""))) {
      String entry = key.substring(RedisKeys.schedulerHistory("").length());
      return Subject.of(SubjectKind.HISTORY, null, entry);
    }
    return RedisKeys.registryOf(key) == null ? null : Subject.of(SubjectKind.PRESENCE, null, key);
  }

  /**
   * A queue name may contain the text that ends it in a key, so registered names are tried before
   * parsing.
   */
  private static @Nullable QueueName queueOf(String key, Set<String> registered) {
    int begin = "asynq:{".length();
    int first = key.indexOf("}:", begin);
    for (int end = first; end >= 0; end = key.indexOf("}:", end + 1)) {
      String name = key.substring(begin, end);
      if (registered.contains(name)) {
        return QueueName.of(name);
      }
    }
    try {
      return first < 0 ? null : QueueName.of(key.substring(begin, first));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static @Nullable Subject ofQueue(QueueName queue, String word) {
    if (CONTAINERS.contains(word)) {
      return Subject.of(SubjectKind.QUEUE, queue, queue.value());
    }
    int colon = word.indexOf(':');
    if (colon < 0) {
      return null;
    }
    String name = word.substring(colon + 1);
    return switch (word.substring(0, colon)) {
      case "t" -> Subject.of(SubjectKind.TASK, queue, name);
      case "g" -> Subject.of(SubjectKind.GROUP, queue, name);
      case "unique" -> Subject.of(SubjectKind.LOCK, queue, name);
      case "spent" -> Subject.of(SubjectKind.SPENT_SET, queue, name);
      default -> null;
    };
  }
}
