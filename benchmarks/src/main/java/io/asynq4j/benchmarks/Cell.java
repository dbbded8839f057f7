package io.asynq4j.benchmarks;

/** One measurement: so many calls with so many tasks in all, and what they used. */
record Cell(long calls, long tasks, Usage usage) {

  static final Cell NONE = new Cell(0, 0, Usage.NONE);

  Cell plus(Cell other) {
    return new Cell(calls + other.calls, tasks + other.tasks, usage.plus(other.usage));
  }

  double callsPerSecond() {
    return usage.perSecond(calls);
  }

  double tasksPerSecond() {
    return usage.perSecond(tasks);
  }

  double redisMicrosPerTask() {
    return usage.redisCpuMicros() / (double) tasks;
  }

  double scriptMicrosPerTask() {
    return usage.scriptMicros() / (double) tasks;
  }

  double jvmMicrosPerTask() {
    return usage.jvmCpuMicros() / (double) tasks;
  }
}
