package io.asynq4j.benchmarks.harness;

/**
 * Resource usage up to an instant, or between two instants.
 *
 * @param redisCpuMicros CPU time of the Redis process
 * @param jvmCpuMicros CPU time of this process
 * @param scriptCalls number of script calls in Redis
 * @param scriptMicros time spent in these calls
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
