package io.asynq4j.internal.redis.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.simulation.Simulation.Step;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Steps of Go processes that share the queues with ours. */
final class GoProcessSteps {

  private final Simulation run;

  /** What Go workers hold, or believe to: nothing keeps them from settling it late. */
  private final List<WireTask> held = new ArrayList<>();

  GoProcessSteps(Simulation run) {
    this.run = run;
  }

  List<Step> steps() {
    return List.of(
        new Step(60, this::enqueue),
        new Step(60, this::dequeue),
        new Step(50, this::settle),
        new Step(15, this::extend),
        new Step(6, this::writeResult),
        new Step(25, this::forward),
        new Step(15, this::recover),
        new Step(10, this::expire),
        new Step(40, this::inspect),
        new Step(8, this::failAll),
        new Step(3, this::crash));
  }

  private SimulatedGoProcess go(ModelQueue queue) {
    return new SimulatedGoProcess(run.link, queue.queue, run.clock);
  }

  private void enqueue() {
    ModelQueue queue = run.queue();
    String group = run.chance(0.3) ? run.pick(Simulation.GROUPS) : "";
    long at = run.chance(0.3) ? queue.second() + 1 + run.random.nextInt(15) : 0;
    long ttl = run.chance(0.3) ? 3600 : 0;
    String type = "type" + run.random.nextInt(2);
    String payload = run.payload();
    WireTask.Builder message =
        WireTask.newBuilder()
            .setType(type)
            .setPayload(com.google.protobuf.ByteString.copyFromUtf8(payload))
            .setId(run.id())
            .setQueue(queue.queue.value())
            .setRetry(run.random.nextInt(3))
            .setTimeout(1800)
            .setRetention(run.chance(0.3) ? 30 : 0)
            .setGroupKey(group);
    if (ttl > 0) {
      message.setUniqueKey(RedisKeys.unique(queue.queue, type, Payload.ofUtf8(payload)));
    }
    WireTask made = message.build();
    // A scheduled task loses its group: Q-3.
    String effective = at > 0 ? "" : group;
    run.log(
        "Go enqueues %s/%s %s at %d for %d"
            .formatted(queue.queue, made.getId(), effective, at, ttl));
    int answer = go(queue).enqueue(made, effective, at, ttl);
    run.model.registered.add(queue.queue.value());
    assertThat(answer).isEqualTo(ModelGoBroker.enqueue(queue, made, effective, at, ttl));
  }

  private void dequeue() {
    ModelQueue queue = run.queue();
    WireTask given = go(queue).dequeue();
    run.log(
        "Go dequeues from %s: %s"
            .formatted(queue.queue, given == null ? "nothing" : given.getId()));
    assertThat(given).isEqualTo(ModelGoBroker.dequeue(queue));
    if (given != null) {
      held.add(given);
    }
  }

  private @Nullable WireTask any(double kept) {
    if (held.isEmpty()) {
      return null;
    }
    WireTask task = run.pick(held);
    if (!run.chance(kept)) {
      held.remove(task);
    }
    return task;
  }

  private ModelQueue queueOf(WireTask task) {
    return run.model.queue(QueueName.of(task.getQueue()));
  }

  private void settle() {
    WireTask task = any(0.15);
    if (task == null) {
      return;
    }
    ModelQueue queue = queueOf(task);
    SimulatedGoProcess go = go(queue);
    int kind = run.random.nextInt(5);
    long at = queue.second() + run.random.nextInt(8);
    boolean failure = run.chance(0.7);
    run.log("Go settles %s/%s, kind %d at %d".formatted(queue.queue, task.getId(), kind, at));
    switch (kind) {
      case 0, 1 -> {
        if (task.getRetention() > 0) {
          assertThat(go.complete(task)).isEqualTo(ModelGoBroker.complete(queue, task));
        } else {
          assertThat(go.done(task)).isEqualTo(ModelGoBroker.done(queue, task));
        }
      }
      case 2 ->
          assertThat(go.retry(task, at, "go", failure))
              .isEqualTo(ModelGoBroker.retry(queue, task, at, "go", failure));
      case 3 ->
          assertThat(go.archive(task, "go")).isEqualTo(ModelGoBroker.archive(queue, task, "go"));
      default ->
          assertThat(go.requeue(task.getId()))
              .isEqualTo(ModelGoBroker.requeue(queue, task.getId()));
    }
  }

  private void extend() {
    WireTask task = any(1);
    if (task != null) {
      ModelQueue queue = queueOf(task);
      run.log("Go extends %s/%s".formatted(queue.queue, task.getId()));
      go(queue).extend(task.getId());
      ModelGoBroker.extend(queue, task.getId());
    }
  }

  private void writeResult() {
    WireTask task = any(1);
    if (task != null) {
      ModelQueue queue = queueOf(task);
      run.log("Go writes a result for %s/%s".formatted(queue.queue, task.getId()));
      go(queue).writeResult(task.getId(), "go");
      ModelGoBroker.writeResult(queue, task.getId(), "go");
    }
  }

  private void forward() {
    ModelQueue queue = run.queue();
    run.log("Go forwards %s".formatted(queue.queue));
    for (String state : List.of("scheduled", "retry")) {
      assertThat(go(queue).forward(state)).isEqualTo(ModelGoBroker.forward(queue, state));
    }
  }

  private void recover() {
    ModelQueue queue = run.queue();
    SimulatedGoProcess go = go(queue);
    List<WireTask> expired = go.expired();
    run.log(
        "Go recovers %s of %s"
            .formatted(expired.stream().map(WireTask::getId).toList(), queue.queue));
    for (WireTask task : expired) {
      String error = "asynq: task lease expired";
      if (task.getRetried() >= task.getRetry()) {
        assertThat(go.archive(task, error)).isEqualTo(ModelGoBroker.archive(queue, task, error));
      } else {
        long at = queue.second() + 15;
        assertThat(go.retry(task, at, error, true))
            .isEqualTo(ModelGoBroker.retry(queue, task, at, error, true));
      }
    }
    go.reclaim();
    ModelBroker.reclaimStale(queue, /* byGo= */ true);
  }

  private void expire() {
    ModelQueue queue = run.queue();
    run.log("Go's janitor cleans %s".formatted(queue.queue));
    go(queue).expire();
    ModelGoBroker.expire(queue);
  }

  private void inspect() {
    ModelQueue queue = run.queue();
    SimulatedGoProcess go = go(queue);
    String id = run.idIn(queue);
    int kind = run.random.nextInt(3);
    run.log("Go's inspector, kind %d, on %s/%s".formatted(kind, queue.queue, id));
    switch (kind) {
      case 0 -> assertThat(go.run(id)).isEqualTo(ModelGoBroker.run(queue, id));
      case 1 ->
          assertThat(go.archiveWaiting(id)).isEqualTo(ModelGoBroker.archiveWaiting(queue, id));
      default -> assertThat(go.delete(id)).isEqualTo(ModelGoBroker.delete(queue, id));
    }
  }

  /** An operator runs a task before its time, and a Go worker fails all that is pending. */
  private void failAll() {
    ModelQueue queue = run.queue();
    SimulatedGoProcess go = go(queue);
    List<String> scheduled = List.copyOf(queue.zset("scheduled").keySet());
    if (!scheduled.isEmpty()) {
      String id = run.pick(scheduled);
      run.log("Go's inspector runs %s/%s before its time".formatted(queue.queue, id));
      assertThat(go.run(id)).isEqualTo(ModelGoBroker.run(queue, id));
    }
    long at = queue.second() + run.random.nextInt(3);
    run.log("Go fails all that is pending in %s until %d".formatted(queue.queue, at));
    WireTask task = go.dequeue();
    while (task != null) {
      assertThat(task).isEqualTo(ModelGoBroker.dequeue(queue));
      assertThat(go.retry(task, at, "go", true))
          .isEqualTo(ModelGoBroker.retry(queue, task, at, "go", true));
      task = go.dequeue();
    }
    assertThat(ModelGoBroker.dequeue(queue)).isNull();
  }

  private void crash() {
    run.log("a Go worker forgets its tasks");
    held.clear();
  }
}
