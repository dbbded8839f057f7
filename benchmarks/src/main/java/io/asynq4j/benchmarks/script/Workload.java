package io.asynq4j.benchmarks.script;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import java.util.List;

/**
 * Calls that exercise one script, or two that always go together.
 *
 * @param name what it is called in the report; the names of its scripts first
 * @param many whether a call takes many tasks
 * @param preparation puts in place what the calls need
 * @param call one call for so many tasks
 */
record Workload(String name, boolean many, Preparation preparation, Call call) {

  /** A name begins with its scripts, as in {@code task + update, for some}. */
  static List<String> scriptsOf(String name) {
    return List.of(name.replaceFirst(",.*", "").split(" \\+ ", -1));
  }

  interface Preparation {
    void prepare(int calls, int batch);
  }

  interface Call {
    void run(int batch);
  }

  /** Runs calls until they are done or the time is up. */
  Measurement measure(BenchmarkRedis lab, int calls, int batch, long maxNanos) {
    preparation.prepare(calls, batch);
    ResourceUsage before = lab.usage();
    int done = 0;
    do {
      call.run(batch);
      done++;
    } while (done < calls && System.nanoTime() - before.wallNanos() < maxNanos);
    return new Measurement(done, (long) done * batch, lab.usage().since(before));
  }
}
