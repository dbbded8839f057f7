package io.asynq4j.internal.broker.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
   * @param seen when the scan began, and how often it found a task in the lists of the queue
   * @param place the group or aggregation set in which a task was found, as {@code g:…}; or empty
   */
  record Subject(
      SubjectKind kind, @Nullable QueueName queue, String name, Seen seen, String place) {

    public static Subject of(SubjectKind kind, @Nullable QueueName queue, String name) {
      return new Subject(kind, queue, name, Seen.NOWHERE, "");
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

  /** Returns the registries of servers, workers and schedulers. */
  List<Subject> registries();
}
