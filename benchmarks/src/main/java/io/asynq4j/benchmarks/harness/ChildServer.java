package io.asynq4j.benchmarks.harness;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs a server in a child process until its input ends. Prints {@code ready}, then {@code S id
 * retried} when a handler starts and {@code F id} when it ends.
 */
public final class ChildServer {

  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(15);

  private ChildServer() {}

  public static List<String> arguments(
      String uri, List<QueueName> queues, int concurrency, int workMillis, Duration lease) {
    return Stream.concat(
            Stream.of(
                uri, Integer.toString(concurrency), Integer.toString(workMillis), lease.toString()),
            queues.stream().map(QueueName::value))
        .toList();
  }

  /** Arguments: URL, concurrency, duration of a task in ms, lease, queues. */
  public static void main(String[] arguments) throws IOException {
    int workMillis = Integer.parseInt(arguments[2]);
    Duration lease = Duration.parse(arguments[3]);
    List<QueueName> queues = Stream.of(arguments).skip(4).map(QueueName::of).toList();
    Handler<Task> handler =
        (task, context) -> {
          System.out.println("S " + context.id() + " " + context.retryCount());
          Thread.sleep(workMillis);
          System.out.println("F " + context.id());
          return Outcome.done();
        };
    MeasuredServer served =
        MeasuredServer.start(
            arguments[0],
            queues,
            Integer.parseInt(arguments[1]),
            handler,
            server -> server.timing(timing -> timing.lease(lease).heartbeat(lease.dividedBy(3))));
    try {
      System.out.println("ready");
      while (System.in.read() >= 0) {
        // Until the parent closes the input or ends.
      }
    } finally {
      served.close();
    }
  }
}
