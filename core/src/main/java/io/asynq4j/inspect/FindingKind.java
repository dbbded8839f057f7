package io.asynq4j.inspect;

import java.util.Locale;

/**
 * The inconsistencies that the doctor can find: what each one is, why it matters, and what its
 * repair does. The store, the scan and every report use these kinds.
 */
public enum FindingKind {
  ID_WITHOUT_RECORD(
      "a container or the lease set has an ID without a task",
      "a Go worker that claims it reports an empty queue and leaves the ID in the active list forever",
      "the ID is removed, and with it a record without a message"),
  RECORD_WITHOUT_MESSAGE(
      "a record has no message, so it is not a task",
      "a late result of a deleted task has created it; no task with its ID can be enqueued",
      "the record is deleted"),
  RECORD_WITHOUT_CONTAINER(
      "a task is in no container",
      "it never runs, no list shows it, and its ID cannot be used again",
      "it returns to the container of its state; if its time, group or state is lost, it is archived with the reason"),
  WRONG_STATE(
      "the state in the record differs from the container of the task",
      "inspectors fail on it, and it cannot be run, archived or deleted",
      "the record gets the state of the container"),
  IN_SEVERAL_CONTAINERS(
      "a task is in more than one container, or twice in one",
      "it may run twice",
      "it is removed from all but the container of its state"),
  ACTIVE_WITHOUT_LEASE(
      "an active task has no lease",
      "if its worker is gone, the task is never recovered and never runs again",
      "it gets an expired lease, so that it is recovered half a minute later"),
  LEASE_WITHOUT_ACTIVE(
      "a task with a lease is not in the active list",
      "Go servers try to recover it every minute forever, and it counts towards limits",
      "the lease is removed; if the record has the state active, the task is added to the active list"),
  UNREADABLE(
      "the message of a task cannot be decoded",
      "while it is active, a Go server recovers no task of any queue",
      "it is archived with the reason; it is deleted only on request"),
  STALE_LOCK(
      "a unique lock belongs to no task",
      "equal tasks are rejected as duplicates until it expires",
      "the lock is deleted"),
  UNLISTED_GROUP(
      "a group with tasks is not in the list of groups",
      "no aggregator processes it, so its tasks wait forever",
      "it is added to the list"),
  STALE_GROUP(
      "a group in the list of groups has no tasks, and no task waits to join it",
      "aggregators check it in every run",
      "it is removed from the list"),
  STALE_AGGREGATION_SET(
      "an aggregation is overdue, or its set is missing",
      "its tasks wait until they return to their group",
      "its tasks return to their group"),
  UNLISTED_SPENT_SET(
      "aggregated tasks are not listed for deletion",
      "they are never deleted",
      "they are listed for deletion"),
  ARCHIVE_OVERFLOW(
      "an archive has more or older tasks than its limits allow",
      "it uses memory until the next task is archived",
      "the oldest tasks are deleted, only on request"),
  ARCHIVE_WEDGES_GO(
      "an archive exceeds Go's limits by more tasks than Go can delete at once",
      "each task that a Go worker archives remains half archived forever",
      "the oldest tasks are deleted, only on request"),
  UNREGISTERED_QUEUE(
      "a queue with tasks is not registered",
      "inspectors and dashboards do not show it",
      "it is registered"),
  EMPTY_QUEUE(
      "a registered queue has no data",
      "lists show it forever",
      "its name is removed; the next task registers it again"),
  STALE_PRESENCE(
      "the list of servers, workers or schedulers has expired entries",
      "they remain until another process registers or the list is read",
      "they are removed from the list"),
  LEAKED_PRESENCE(
      "the data of a server, its workers or a scheduler is not listed",
      "it never expires",
      "it is deleted"),
  LEAKED_HISTORY(
      "the history of a deleted schedule entry never expires",
      "Go's entries get a new ID at each start, so histories accumulate",
      "it expires in 90 days"),
  UNSERVED_QUEUE(
      "tasks have been due for five minutes in a queue that no live server serves",
      "they wait until a server serves the queue",
      "none: start a server for the queue, or move or delete its tasks"),
  UNAGGREGATED_GROUP(
      "the last task of a group arrived more than an hour ago",
      "no server of its queue has an aggregator, so its tasks wait forever",
      "none: configure an aggregator on a server of the queue");

  private final String what;
  private final String why;
  private final String repair;

  FindingKind(String what, String why, String repair) {
    this.what = what;
    this.why = why;
    this.repair = repair;
  }

  /** The name in the command line, in the API, on every page and in the guide. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What it is. */
  public String what() {
    return what;
  }

  /** Why it matters. */
  public String why() {
    return why;
  }

  /** What the repair does. */
  public String repair() {
    return repair;
  }
}
