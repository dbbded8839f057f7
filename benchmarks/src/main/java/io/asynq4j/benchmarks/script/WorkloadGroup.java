package io.asynq4j.benchmarks.script;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Workloads for scripts of one topic, on one queue. */
abstract class WorkloadGroup {

  final TaskPreparer preparer;
  final Broker broker;
  final QueueName queue;
  private final List<Workload> all = new ArrayList<>();

  WorkloadGroup(TaskPreparer preparer) {
    this.preparer = preparer;
    this.broker = preparer.broker();
    this.queue = preparer.queue();
  }

  List<Workload> all() {
    return all;
  }

  void many(String name, Workload.Preparation preparation, Workload.Call call) {
    all.add(new Workload(name, /* many= */ true, preparation, call));
  }

  void single(String name, Workload.Preparation preparation, Workload.Call call) {
    all.add(new Workload(name, /* many= */ false, preparation, call));
  }

  /** Splits a call that exceeds the limit of a script. */
  static Workload.Call inCalls(IntConsumer call) {
    return batch -> {
      for (int left = batch; left > 0; left -= TaskPreparer.MAX_BATCH) {
        call.accept(Math.min(left, TaskPreparer.MAX_BATCH));
      }
    };
  }

  static void nothing(int calls, int batch) {}

  static void expect(int wanted, int got) {
    if (got != wanted) {
      throw new IllegalStateException("expected " + wanted + ", got " + got);
    }
  }
}
