package io.asynq4j.inspect;

/**
 * The inconsistencies that the doctor can find: what each one is, why it matters, and what its
 * repair does. The store, the scan and every report use these kinds.
 */
public enum FindingKind {
  ID_WITHOUT_RECORD(
      "a container or the leases hold an id without a task",
      "a Go worker that meets it reports an empty queue, and leaves it among its active tasks for ever",
      "the id is taken out; a record without a message goes with it"),
  RECORD_WITHOUT_MESSAGE(
      "a record holds no message, so it is no task",
      "a late result of a task that is gone has made it; no task with its id can be enqueued",
      "the record is deleted"),
  RECORD_WITHOUT_CONTAINER(
      "a task is in no container",
      "nobody will ever run, show or delete it, and its id is taken",
      "it goes back to where its record says; to the archive, with the reason, where a time, a group or a state is lost"),
  WRONG_STATE(
      "a record says another state than the container that holds its task",
      "inspectors fail on it, and it cannot be run, archived or deleted",
      "the record is made to say what its container does"),
  IN_SEVERAL_CONTAINERS(
      "a task is in a container besides that of its state, or in one twice",
      "it may run twice",
      "it is taken out of the others"),
  ACTIVE_WITHOUT_LEASE(
      "an active task has no lease",
      "if its worker is gone, nobody will ever notice, and it is never run again",
      "it gets a lease that has just run out, so that it is recovered, half a minute later"),
  LEASE_WITHOUT_ACTIVE(
      "there is a lease on a task that is not among the active ones",
      "Go servers try to recover it every minute for ever; it counts against limits",
      "the lease is removed; if the record says that it is active, it is listed there again"),
  UNREADABLE(
      "the message of a task cannot be read",
      "as long as it is active, a Go server recovers no task of any queue",
      "it is archived with the reason; deleted only if that is asked for"),
  STALE_LOCK(
      "a lock of a unique task belongs to no task",
      "equal tasks are refused as duplicates until it expires",
      "the lock is deleted"),
  UNLISTED_GROUP(
      "a group with tasks is not listed",
      "no aggregator looks at it, so its tasks wait for ever",
      "it is listed"),
  STALE_GROUP(
      "a group is listed that holds no task, and none waits to join it",
      "aggregators look at it each time",
      "it is taken off the list"),
  STALE_AGGREGATION_SET(
      "an aggregation is long overdue, or its set is gone",
      "its tasks wait until somebody gives them back to their group",
      "its tasks go back to their group"),
  UNLISTED_SPENT_SET(
      "tasks that have become one are not listed to be deleted",
      "they stay for ever",
      "they are listed"),
  ARCHIVE_OVERFLOW(
      "an archive holds more, or older, tasks than it may",
      "it takes memory until something is archived",
      "the oldest are deleted, if that is asked for"),
  ARCHIVE_WEDGES_GO(
      "an archive holds so many tasks beyond Go's limits that Go cannot trim it",
      "each task that a Go worker archives is left half way, for ever",
      "the oldest are deleted, if that is asked for"),
  UNREGISTERED_QUEUE(
      "a queue with tasks is not registered",
      "inspectors and dashboards do not show it",
      "it is registered"),
  EMPTY_QUEUE(
      "a queue is registered of which there is nothing",
      "it is shown for ever",
      "its name is removed; it comes back with its next task"),
  STALE_PRESENCE(
      "servers, workers or schedulers are listed that are gone",
      "they stay until another one shows itself or somebody asks for the list",
      "they are taken off the list"),
  LEAKED_PRESENCE(
      "a server, its workers or a scheduler shows itself and is not listed",
      "it was left behind and never expires",
      "it is deleted"),
  LEAKED_HISTORY(
      "the history of a scheduler's entry that is gone never expires",
      "Go's entries get a new id at each start, so histories pile up",
      "it expires in 90 days"),
  UNSERVED_QUEUE(
      "tasks have been due for five minutes in a queue that no live server serves",
      "they wait until a server serves it",
      "none: start a server for the queue, or move or delete its tasks"),
  UNAGGREGATED_GROUP(
      "a group got its last task an hour ago and is still there",
      "no server of its queue has an aggregator, so its tasks wait for ever",
      "none: give a server of the queue an aggregator");

  private final String what;
  private final String why;
  private final String repair;

  FindingKind(String what, String why, String repair) {
    this.what = what;
    this.why = why;
    this.repair = repair;
  }

  /** What is amiss. */
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
