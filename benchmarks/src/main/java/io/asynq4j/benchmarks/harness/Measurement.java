package io.asynq4j.benchmarks.harness;

/** One measurement: number of calls and tasks, and the resources they used. */
public record Measurement(long calls, long tasks, ResourceUsage usage) {

  public static final Measurement NONE = new Measurement(0, 0, ResourceUsage.NONE);

  public Measurement plus(Measurement other) {
    return new Measurement(calls + other.calls, tasks + other.tasks, usage.plus(other.usage));
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
