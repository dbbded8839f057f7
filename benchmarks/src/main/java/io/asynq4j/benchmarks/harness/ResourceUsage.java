package io.asynq4j.benchmarks.harness;

/**
 * What has been used, up to an instant or between two.
 *
 * @param redisCpuMicros of the whole Redis process
 * @param jvmCpuMicros of this whole process
 * @param scriptCalls calls of scripts that Redis has counted
 * @param scriptMicros time inside these calls
 */
public record ResourceUsage(
    long wallNanos, long redisCpuMicros, long jvmCpuMicros, long scriptCalls, long scriptMicros) {

  public static final ResourceUsage NONE = new ResourceUsage(0, 0, 0, 0, 0);

  public ResourceUsage since(ResourceUsage earlier) {
    return new ResourceUsage(
        wallNanos - earlier.wallNanos,
        redisCpuMicros - earlier.redisCpuMicros,
        jvmCpuMicros - earlier.jvmCpuMicros,
        scriptCalls - earlier.scriptCalls,
        scriptMicros - earlier.scriptMicros);
  }

  public ResourceUsage plus(ResourceUsage other) {
    return new ResourceUsage(
        wallNanos + other.wallNanos,
        redisCpuMicros + other.redisCpuMicros,
        jvmCpuMicros + other.jvmCpuMicros,
        scriptCalls + other.scriptCalls,
        scriptMicros + other.scriptMicros);
  }

  public double perSecond(long count) {
    return count * 1e9 / wallNanos;
  }
}
