package io.asynq4j.benchmarks;

/**
 * What has been used, up to an instant or between two.
 *
 * @param redisCpuMicros of the whole Redis process
 * @param jvmCpuMicros of this whole process
 * @param scriptCalls calls of scripts that Redis has counted
 * @param scriptMicros time inside these calls
 */
public record Usage(
    long wallNanos, long redisCpuMicros, long jvmCpuMicros, long scriptCalls, long scriptMicros) {

  public static final Usage NONE = new Usage(0, 0, 0, 0, 0);

  public Usage since(Usage earlier) {
    return new Usage(
        wallNanos - earlier.wallNanos,
        redisCpuMicros - earlier.redisCpuMicros,
        jvmCpuMicros - earlier.jvmCpuMicros,
        scriptCalls - earlier.scriptCalls,
        scriptMicros - earlier.scriptMicros);
  }

  public Usage plus(Usage other) {
    return new Usage(
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
