package io.asynq4j.benchmarks.script;

import java.time.Duration;
import java.util.List;

/**
 * Scale of the measurements.
 *
 * @param batches tasks per call
 * @param callsAtOne number of calls with one task each
 * @param tasksPerCell maximum number of tasks in a measurement with larger batches
 * @param cellTime maximum duration of a measurement
 * @param active numbers of active tasks while growth is measured; the first one is the baseline
 * @param waiting number of scheduled and of archived tasks while large sets are measured
 * @param samples number of calls whose time in Redis is examined individually
 * @param memoryTasks number of pending tasks whose memory is measured
 */
record ScriptBenchmarkScale(
    List<Integer> batches,
    int callsAtOne,
    int tasksPerCell,
    Duration cellTime,
    List<Integer> active,
    int waiting,
    int samples,
    int memoryTasks) {

  static final ScriptBenchmarkScale FULL =
      new ScriptBenchmarkScale(
          List.of(1, 10, 100, 200),
          2_000,
          20_000,
          Duration.ofSeconds(3),
          List.of(1, 1_000, 100_000),
          1_000_000,
          1_000,
          100_000);

  static final ScriptBenchmarkScale QUICK =
      new ScriptBenchmarkScale(
          List.of(1, 200), 20, 400, Duration.ofMillis(200), List.of(1, 1_000), 10_000, 4, 2_000);

  int largestBatch() {
    return batches.get(batches.size() - 1);
  }

  int largestActive() {
    return active.get(active.size() - 1);
  }

  int calls(int batch) {
    return Math.max(1, Math.min(callsAtOne, tasksPerCell / batch));
  }
}
