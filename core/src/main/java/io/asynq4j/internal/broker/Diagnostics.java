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
 * Finds inconsistencies in the store, and repairs them. Each call does a bounded piece;
 * thread-safe, and safe to run while others work on the same queues.
 */
public interface Diagnostics {

  /** The kinds of things that can be examined. */
  enum SubjectKind {
    /** A task, by its id: its record, its container and its lease. */
    TASK,
    /** The lock of a unique task, by what follows {@code unique:}. */
    LOCK,
    /** A group that holds tasks, by its name. */
    GROUP,
    /** A name in the list of groups. */
    GROUP_NAME,
    /** An aggregation set under way, by its full key. */
    AGGREGATION_SET,
    /** An aggregation set that was used up, by its id. */
    SPENT_SET,
    /** The archive of a queue. */
    ARCHIVE,
    /** A queue that holds something. */
    QUEUE,
    /** A name in the list of queues. */
    QUEUE_NAME,
    /** The list of servers, of workers or of schedulers, by its key. */
    REGISTRY,
    /** What a server, its workers or a scheduler shows of itself, by its key. */
    PRESENCE,
    /** What an entry of a scheduler has enqueued, by the entry's id. */
    HISTORY
  }

  /**
   * Something to be looked at.
   *
   * @param queue null for what belongs to no queue
   * @param seen what a walk over the queue's lists has shown of a task
   * @param place the group or aggregation set in which a task was met, as {@code g:…}; or empty
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
   * How often a task was met in the two lists of its queue, which cannot be asked for cheaply.
   *
   * @param since when the walk over them began
   */
  record Seen(int inPending, int inActive, Instant since) {
    public static final Seen NOWHERE = new Seen(0, 0, Instant.EPOCH);
  }

  /**
   * The inconsistency of one subject.
   *
   * @param count how many entries are concerned
   * @param detail tells it from another case of the same kind
   */
  record FindingDetail(FindingKind kind, long count, String detail) {}

  /** How much may be in an archive, and how long an aggregation may be overdue. */
  record Norms(ArchiveRules archive, Duration overdue) {}

  /**
   * Examines subjects of one kind and queue. Returns a finding for each, or null.
   *
   * @param closely searches the lists for tasks, as far as that is cheap, instead of believing what
   *     was seen of them
   */
  List<@Nullable FindingDetail> examine(List<Subject> subjects, Norms norms, boolean closely);

  /**
   * Repairs subjects of one kind and queue whose finding is still the same.
   *
   * @param removeUnreadable whether tasks that nobody can read are deleted instead of archived
   */
  List<RepairResult> repair(
      List<Subject> subjects, List<FindingDetail> findings, Norms norms, boolean removeUnreadable);

  /** What became of a repair. */
  enum RepairResult {
    DONE,
    /** The finding was gone, or another one. */
    CHANGED,
    /** It is in the middle of a list that is too long to be changed there. */
    OUT_OF_REACH
  }

  /**
   * A part of the members of a container of a queue, by its word: of every state, {@code lease},
   * {@code groups}, {@code aggregation_sets} or {@code g:…}. What is in it all the time is met;
   * what comes and goes may be met or not, or twice.
   *
   * @param cursor empty for the first part
   */
  Members members(QueueName queue, String container, String cursor);

  /**
   * A part of what a container holds.
   *
   * @param next the cursor of the next part; empty when this one is the last
   */
  record Members(List<String> members, String next) {}

  /** The lists of servers, of workers and of schedulers. */
  List<Subject> registries();

  /** The servers that hold keys; of one queue, if it is given. */
  List<Node> nodes(@Nullable QueueName queue);

  /**
   * A server that holds keys.
   *
   * @param slot one that it has
   */
  record Node(String name, int slot) {}

  /**
   * A part of what a server holds: tasks, locks, groups, used up sets, presence and histories, and
   * the queues with tasks. Other keys are left out.
   *
   * @param queue whose keys; null for all
   * @param registered names of queues: a name may hold what looks like its end
   * @param cursor empty for the first part
   */
  Keyspace keys(Node node, @Nullable QueueName queue, Set<String> registered, String cursor);

  /**
   * A part of the keys.
   *
   * @param next the cursor of the next part; empty when this one is the last
   * @param moved the server has given its slots to another one, so that the walk cannot go on
   */
  record Keyspace(List<Subject> subjects, String next, boolean moved) {}
}
