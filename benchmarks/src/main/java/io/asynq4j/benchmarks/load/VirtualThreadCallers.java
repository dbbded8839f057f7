package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.load.EnqueueBenchmark.Connected;
import io.asynq4j.client.TaskClient;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Enqueues from ten platform threads and from many virtual threads, and prints the version of Java
 * and both rates. A separate program, because virtual threads need a newer JDK than the rest.
 */
final class VirtualThreadCallers {

  static final int COUNT = 500;
  private static final int ROUNDS = 4;
  static final String NONE = "none";

  private VirtualThreadCallers() {}

  /** Arguments: URL, queue, tasks. */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    if (Runtime.version().feature() < 21) {
      System.out.println(NONE);
      return;
    }
    QueueName queue = QueueName.of(arguments[1]);
    int tasks = Integer.parseInt(arguments[2]);
    try (Connected connected = Connected.to(arguments[0])) {
      TaskClient client = connected.client();
      double ten = 0;
      double virtual = 0;
      // In turn; the first round warms up.
      for (int round = 0; round <= ROUNDS; round++) {
        double tenNow = rate(client, queue, tasks / ROUNDS, 10, Executors.newFixedThreadPool(10));
        double virtualNow = rate(client, queue, tasks / ROUNDS, COUNT, virtual());
        ten += round == 0 ? 0 : tenNow / ROUNDS;
        virtual += round == 0 ? 0 : virtualNow / ROUNDS;
      }
      System.out.println(Runtime.version().feature() + " " + ten + " " + virtual);
    }
  }

  private static ExecutorService virtual() throws ReflectiveOperationException {
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }

  private static double rate(
      TaskClient client, QueueName queue, int tasks, int callers, ExecutorService executor) {
    int each = Math.max(1, tasks / callers);
    long start = System.nanoTime();
    EnqueueCallers.together(
        executor,
        callers,
        caller -> {
          for (int i = 0; i < each; i++) {
            client.enqueue(BenchmarkTasks.request(queue, i)).orThrow();
          }
        });
    return (double) each * callers * 1e9 / (System.nanoTime() - start);
  }
}
