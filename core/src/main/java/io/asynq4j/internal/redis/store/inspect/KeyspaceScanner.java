package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import io.asynq4j.internal.broker.inspect.Diagnostics.SubjectKind;
import io.asynq4j.internal.broker.inspect.KeyspaceScan;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.store.task.RedisUpkeep;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** Redis implementation of the scan of keys and containers. */
public record KeyspaceScanner(RedisCommandExecutor link) implements KeyspaceScan {

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
    // Members of a sorted set come with their scores.
    Collection<String> members =
        isSet ? ReplyParser.texts(page.get(1)) : ReplyParser.map(page.get(1)).keySet();
    return new Members(List.copyOf(members), next(page));
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
    List<@Nullable Object> page =
        RedisUpkeep.scan(link, node.slot(), pattern, cursor.isEmpty() ? START : cursor);
    List<Subject> subjects =
        ReplyParser.texts(page.get(1)).stream()
            .flatMap(key -> Stream.ofNullable(subject(key, queue, registered)))
            .toList();
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
