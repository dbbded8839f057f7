package io.asynq4j.benchmarks.script;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ResourceUsage;

/**
 * Calls of one script, or of two scripts that are always used together.
 *
 * @param name name in the report; starts with the names of its scripts
 * @param many whether a call takes many tasks
 * @param preparation prepares the data for the calls
 * @param call one call for this many tasks
 */
record Workload(String name, boolean many, Preparation preparation, Call call) {

  interface Preparation {
    void prepare(int calls, int batch);
  }

  interface Call {
    void run(int batch);
  }

  /** Runs calls until they are done or the time is up. */
  Measurement measure(BenchmarkRedis redis, int calls, int batch, long maxNanos) {
    preparation.prepare(calls, batch);
    ResourceUsage before = redis.usage();
    int done = 0;
    do {
      call.run(batch);
      done++;
    } while (done < calls && System.nanoTime() - before.wallNanos() < maxNanos);
    return new Measurement(done, (long) done * batch, redis.usage().since(before));
  }
}
