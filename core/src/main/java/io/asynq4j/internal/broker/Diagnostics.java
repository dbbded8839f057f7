package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Detects and repairs inconsistencies in the store. Each call does a bounded piece of work.
 * Thread-safe, and safe to run while others use the same queues.
 */
public interface Diagnostics {

  /** Kinds of subjects that can be examined. */
  enum SubjectKind {
    /** A task, by its id: its record, its container and its lease. */
    TASK,
    /** The lock of a unique task, by what follows {@code unique:}. */
    LOCK,
    /** A group with tasks, by its name. */
    GROUP,
    /** A name in the list of groups. */
    GROUP_NAME,
    /** An aggregation set in progress, by its full key. */
    AGGREGATION_SET,
    /** A completed aggregation set, by its ID. */
    SPENT_SET,
    /** The archive of a queue. */
    ARCHIVE,
    /** A queue with any content. */
    QUEUE,
    /** A name in the list of queues. */
    QUEUE_NAME,
    /** The list of servers, of workers or of schedulers, by its key. */
    REGISTRY,
    /** The presence record of a server, its workers or a scheduler, by its key. */
    PRESENCE,
    /** The enqueue history of a scheduler entry, by the entry's ID. */
    HISTORY
  }

  /**
   * A subject to examine.
   *
   * @param queue null if it belongs to no queue
   * @param seen what a scan of the queue's lists found of a task
   * @param place the group or aggregation set in which a task was found, as {@code g:…}; or empty
   */
  record Subject(
      SubjectKind kind, @Nullable QueueName queue, String name, Seen seen, String place) {

    public static Subject of(SubjectKind kind, @Nullable QueueName queue, String name) {
      return new Subject(kind, queue, name, Seen.NOWHERE, "");
    }

    public static Subject task(QueueName queue, String id, Seen seen, String place) {
      return new Subject(SubjectKind.TASK, queue, id, seen, place);
    }

    public Subject with(Seen newlySeen) {
      return new Subject(kind, queue, name, newlySeen, place);
    }
  }

  /**
   * How often a scan found a task in the two lists of its queue, which cannot be queried cheaply.
   *
   * @param since when the scan began
   */
  record Seen(int inPending, int inActive, Instant since) {
    public static final Seen NOWHERE = new Seen(0, 0, Instant.EPOCH);
  }

  /**
   * The inconsistency of one subject.
   *
   * @param count number of affected entries
   * @param detail distinguishes it from other cases of the same kind
   */
  record FindingDetail(FindingKind kind, long count, String detail) {}

  /** The limits of an archive, and how long an aggregation may be overdue. */
  record Norms(ArchiveRules archive, Duration overdue) {}

  /**
   * Examines subjects of one kind and queue. Returns a finding or null for each.
   *
   * @param closely searches the lists for tasks, where that is cheap, instead of relying on the
   *     scan
   */
  List<@Nullable FindingDetail> examine(List<Subject> subjects, Norms norms, boolean closely);

  /**
   * Repairs subjects of one kind and queue whose finding is unchanged.
   *
   * @param removeUnreadable whether unreadable tasks are deleted instead of archived
   */
  List<RepairResult> repair(
      List<Subject> subjects, List<FindingDetail> findings, Norms norms, boolean removeUnreadable);

  /** The result of a repair. */
  enum RepairResult {
    DONE,
    /** The finding no longer exists or is a different one. */
    CHANGED,
    /** It is in the middle of a list that is too long to be changed there. */
    OUT_OF_REACH
  }

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

  /** Returns the registries of servers, workers and schedulers. */
  List<Subject> registries();

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
