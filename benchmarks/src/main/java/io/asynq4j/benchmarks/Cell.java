package io.asynq4j.benchmarks;

/** One measurement: so many calls with so many tasks in all, and what they used. */
public record Cell(long calls, long tasks, Usage usage) {

  public static final Cell NONE = new Cell(0, 0, Usage.NONE);

  public Cell plus(Cell other) {
    return new Cell(calls + other.calls, tasks + other.tasks, usage.plus(other.usage));
  }

  public double callsPerSecond() {
    return usage.perSecond(calls);
  }

  public double tasksPerSecond() {
    return usage.perSecond(tasks);
  }

  public double redisMicrosPerTask() {
    return usage.redisCpuMicros() / (double) tasks;
  }

  public double scriptMicrosPerTask() {
    return usage.scriptMicros() / (double) tasks;
  }

  public double jvmMicrosPerTask() {
    return usage.jvmCpuMicros() / (double) tasks;
  }
}
