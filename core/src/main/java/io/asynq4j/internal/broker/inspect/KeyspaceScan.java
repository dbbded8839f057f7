package io.asynq4j.internal.broker.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Scans keys and containers in steps that do not block Redis for long. Thread-safe. */
public interface KeyspaceScan {

  /**
   * Returns a part of the members of a container of a queue, by its key suffix: a state, {@code
   * lease}, {@code groups}, {@code aggregation_sets} or {@code g:…}. Includes every member that is
   * present throughout; members that come or go may be missing or occur twice.
   *
   * @param cursor empty for the first part
   */
  Members members(QueueName queue, String container, String cursor);

  /**
   * A part of the content of a container.
   *
   * @param next the cursor of the next part; empty if this one is the last
   */
  record Members(List<String> members, String next) {}

  /** Returns the servers that have keys; of one queue, if it is given. */
  List<Node> nodes(@Nullable QueueName queue);

  /**
   * A Redis server that has keys.
   *
   * @param slot one of its slots
   */
  record Node(String name, int slot) {}

  /**
   * Returns a part of the keys of a server: tasks, locks, groups, completed sets, presence and
   * histories, and the queues with tasks. Other keys are left out.
   *
   * @param queue restricts the keys to a queue; null for all
   * @param registered the registered queue names: a name may contain the text that ends it in a key
   * @param cursor empty for the first part
   */
  Keyspace keys(Node node, @Nullable QueueName queue, Set<String> registered, String cursor);

  /**
   * A part of the keys.
   *
   * @param next the cursor of the next part; empty if this one is the last
   * @param moved whether the server has passed its slots to another one, so that the scan cannot
   *     continue
   */
  record Keyspace(List<Subject> subjects, String next, boolean moved) {}
}
