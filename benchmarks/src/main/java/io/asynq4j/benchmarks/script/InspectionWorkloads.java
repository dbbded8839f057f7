package io.asynq4j.benchmarks.script;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.inspect.OperatorActions;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Actions and queries of operators. */
final class InspectionWorkloads extends WorkloadGroup {

  /**
   * @param otherQueues creates tasks in further queues
   */
  InspectionWorkloads(TaskPreparer preparer, Supplier<TaskPreparer> otherQueues) {
    super(preparer);
    addActions(otherQueues);
    addQueries();
  }

  private void addActions(Supplier<TaskPreparer> otherQueues) {
    act("run", preparer::scheduled, (actions, ids) -> actions.run(queue, ids));
    act("run, archived", preparer::archived, (actions, ids) -> actions.run(queue, ids));
    act(
        "archive_waiting",
        preparer::scheduled,
        (actions, ids) ->
            actions.archive(queue, ids, TaskPreparer.KEEP_ALL, WhenFull.DROP_OLDEST).answers());
    act(
        "reschedule_waiting",
        preparer::scheduled,
        (actions, ids) -> actions.reschedule(queue, ids, Instant.now().plus(TaskPreparer.LONG)));
    act("delete", preparer::scheduled, (actions, ids) -> actions.delete(queue, ids));
    PreparedItems<String> prepared = new PreparedItems<>();
    single(
        "task + update",
        (calls, batch) -> prepared.fillTo(calls, preparer::scheduled),
        batch ->
            broker
                .taskEdits()
                .updatePayload(
                    queue, prepared.take(), Payload.of(new byte[TaskPreparer.PAYLOAD_BYTES])));
    PreparedItems<String> toDelete = new PreparedItems<>();
    single(
        "task + delete, as seen",
        (calls, batch) -> toDelete.fillTo(calls, preparer::scheduled),
        batch -> broker.taskEdits().deleteIf(queue, toDelete.take(), task -> true));
    PreparedItems<QueueName> removable = new PreparedItems<>();
    single(
        "remove_queue",
        (calls, batch) -> removable.fillTo(calls, count -> emptyQueues(count, otherQueues)),
        batch -> broker.queueRemoval().remove(removable.take(), /* force= */ false));
  }

  private void act(
      String name,
      Function<Integer, List<String>> prepare,
      BiFunction<OperatorActions, List<String>, List<ActionAnswer>> action) {
    PreparedItems<String> prepared = new PreparedItems<>();
    many(
        name,
        (calls, batch) -> prepared.fillTo(calls * batch, prepare::apply),
        batch -> {
          for (ActionAnswer answer : action.apply(broker.actions(), prepared.take(batch))) {
            if (answer.status() != Status.DONE) {
              throw new IllegalStateException(name + " returned " + answer);
            }
          }
        });
  }

  private static List<QueueName> emptyQueues(int count, Supplier<TaskPreparer> otherQueues) {
    List<QueueName> queues = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      TaskPreparer other = otherQueues.get();
      other.complete(other.active(1, TaskPreparer.LONG));
      queues.add(other.queue());
    }
    return queues;
  }

  private void addQueries() {
    single(
        "queue_stats",
        (calls, batch) -> preparer.pending(1),
        batch -> broker.queues().snapshot(queue));
    single(
        "group_stats",
        (calls, batch) -> preparer.grouped("counted", 1),
        batch -> broker.queues().groupSizes(queue));
    single(
        "memory",
        (calls, batch) -> preparer.scheduled(100),
        batch -> broker.queues().memoryUsage(queue));
    PreparedItems<String> ids = new PreparedItems<>();
    single(
        "task",
        (calls, batch) -> ids.fillTo(calls, preparer::scheduled),
        batch -> broker.tasks().task(queue, ids.take()));
    list("list", size -> 0);
    list("list, from the middle", size -> size / 2);
    many(
        "list, behind a cursor",
        (calls, batch) -> preparer.scheduled(3 * batch),
        new Workload.Call() {
          private @Nullable String cursor;

          @Override
          public void run(int batch) {
            Listing page = new Listing(TaskState.SCHEDULED, null, false, 0, batch, cursor);
            cursor = broker.tasks().list(queue, page).cursor();
          }
        });
  }

  private void list(String name, UnaryOperator<Integer> offset) {
    many(
        name,
        (calls, batch) -> preparer.scheduled(2 * batch),
        new Workload.Call() {
          private int size;

          @Override
          public void run(int batch) {
            Listing page =
                new Listing(TaskState.SCHEDULED, null, false, offset.apply(size), batch, null);
            size = (int) broker.tasks().list(queue, page).total();
          }
        });
  }
}
