package io.asynq4j.internal.redis.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.broker.inspect.OperatorActions;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.inspect.QueueControl;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.redis.simulation.Simulation.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Steps of operators. */
final class OperatorSteps {

  private final Simulation run;

  OperatorSteps(Simulation run) {
    this.run = run;
  }

  List<Step> steps() {
    return List.of(
        new Step(25, this::run),
        new Step(25, this::archive),
        new Step(25, this::delete),
        new Step(10, this::all),
        new Step(20, this::updatePayload),
        new Step(10, this::pauseOrResume),
        new Step(8, this::set));
  }

  private boolean isKnown(ModelQueue queue) {
    return run.model.registered.contains(queue.queue.value());
  }

  /** An operator's call is never repeated: when its answer is lost, it was done all the same. */
  private void act(
      String what,
      ModelQueue queue,
      List<String> ids,
      Function<OperatorActions, List<ActionAnswer>> action,
      Supplier<List<ActionAnswer>> expected) {
    if (!isKnown(queue)) {
      return;
    }
    SimulatedWorker worker = run.worker();
    int nth = run.maybeLose(worker, 0.1, 1);
    run.log("%s %s of %s, loses %d".formatted(what, ids, queue.queue, nth));
    try {
      List<ActionAnswer> answers = action.apply(worker.broker.actions());
      assertThat(answers).isEqualTo(expected.get());
    } catch (BrokerUnavailableException e) {
      assertThat(nth == 1 && e.mayHaveBeenApplied()).isTrue();
      assertThat(expected.get()).hasSameSizeAs(ids);
    }
  }

  private void run() {
    ModelQueue queue = run.queue();
    List<String> ids = run.idsIn(queue);
    act(
        "run",
        queue,
        ids,
        actions -> actions.run(queue.queue, ids),
        () -> ids.stream().map(id -> ModelBroker.run(queue, id)).toList());
  }

  private void archive() {
    ModelQueue queue = run.queue();
    List<String> ids = run.idsIn(queue);
    ArchiveRules rules = run.archiveRules();
    act(
        "archive by " + rules,
        queue,
        ids,
        actions -> actions.archive(queue.queue, ids, rules, WhenFull.DROP_OLDEST).answers(),
        () -> ModelBroker.archive(queue, ids, rules));
  }

  private void delete() {
    ModelQueue queue = run.queue();
    List<String> ids = run.idsIn(queue);
    act(
        "delete",
        queue,
        ids,
        actions -> actions.delete(queue.queue, ids),
        () -> ids.stream().map(id -> ModelBroker.delete(queue, id)).toList());
  }

  private void all() {
    ModelQueue queue = run.queue();
    if (!isKnown(queue)) {
      return;
    }
    TaskState state = run.pick(List.of(TaskState.values()));
    String group = state == TaskState.AGGREGATING ? run.pick(Simulation.GROUPS) : null;
    List<String> ids = listed(queue, state, group);
    OperatorActions actions = run.worker().broker.actions();
    run.workers.forEach(worker -> worker.nodes.loseAnswer(0));
    ArchiveRules rules = run.archiveRules();
    int kind = run.random.nextInt(3);
    run.log(
        "%s all %s of %s by %s"
            .formatted(List.of("run", "archive", "delete").get(kind), state, queue.queue, rules));
    long done =
        switch (kind) {
          case 0 -> actions.runAll(queue.queue, state, group, progress -> {});
          case 1 ->
              actions
                  .archiveAll(
                      queue.queue, state, group, rules, WhenFull.DROP_OLDEST, progress -> {})
                  .done();
          default -> actions.deleteAll(queue.queue, state, group, progress -> {});
        };
    List<ActionAnswer> expected =
        switch (kind) {
          case 0 -> ids.stream().map(id -> ModelBroker.run(queue, id)).toList();
          case 1 -> ModelBroker.archive(queue, ids, rules);
          default -> ids.stream().map(id -> ModelBroker.delete(queue, id)).toList();
        };
    assertThat(done)
        .isEqualTo(expected.stream().filter(each -> each.status() == Status.DONE).count());
  }

  private static List<String> listed(ModelQueue queue, TaskState state, @Nullable String group) {
    if (group != null) {
      return ModelQueue.inOrder(queue.group.getOrDefault(group, Map.of()));
    }
    if (state != TaskState.PENDING && state != TaskState.ACTIVE) {
      return ModelQueue.inOrder(queue.zset(state.word()));
    }
    List<String> ids = new ArrayList<>(state == TaskState.PENDING ? queue.pending : queue.active);
    Collections.reverse(ids);
    return ids;
  }

  private void updatePayload() {
    ModelQueue queue = run.queue();
    SimulatedWorker worker = run.worker();
    worker.nodes.loseAnswer(0);
    String id = run.idIn(queue);
    String payload = run.payload();
    run.log("update %s/%s to %s".formatted(queue.queue, id, payload));
    boolean refused = false;
    try {
      worker.broker.taskEdits().updatePayload(queue.queue, id, Payload.ofUtf8(payload));
    } catch (QueueNotFoundException e) {
      assertThat(isKnown(queue)).isFalse();
      return;
    } catch (TaskNotFoundException | TaskStateException e) {
      refused = true;
    }
    String reason = ModelBroker.updatePayload(queue, id, payload);
    assertThat(refused).as(reason).isEqualTo(reason != null);
  }

  private void pauseOrResume() {
    ModelQueue queue = run.queue();
    QueueControl queues = run.patientWorker().broker.queueControl();
    if (queue.paused == null && run.chance(0.4)) {
      run.log("pause %s".formatted(queue.queue));
      assertThat(queues.pause(queue.queue)).isTrue();
      queue.paused = Long.toString(queue.second());
    } else {
      run.log("resume %s".formatted(queue.queue));
      assertThat(queues.resume(queue.queue)).isEqualTo(queue.paused != null);
      queue.paused = null;
    }
  }

  private void set() {
    ModelQueue queue = run.queue();
    OptionalInt maxActive =
        run.chance(0.4) ? OptionalInt.of(run.random.nextInt(5)) : OptionalInt.empty();
    Optional<Boolean> ordered =
        run.chance(0.2)
            ? Optional.of(queue.queue.equals(Simulation.ORDERED) || run.chance(0.2))
            : Optional.empty();
    QueueLimits settings = new QueueLimits(maxActive, ordered, Optional.empty());
    run.log("set %s to %s".formatted(queue.queue, settings));
    QueueControl queues = run.patientWorker().broker.queueControl();
    queues.setLimits(queue.queue, settings);
    assertThat(queues.limits(queue.queue)).isEqualTo(settings);
    queue.settings.clear();
    maxActive.ifPresent(n -> queue.settings.put("max_active", Integer.toString(n)));
    ordered.ifPresent(on -> queue.settings.put("ordered", on ? "1" : "0"));
  }
}
