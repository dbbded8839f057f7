package io.asynq4j.benchmarks.harness;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Tasks of all measurements: 200 bytes, of which the first eight may contain a time. */
public final class BenchmarkTasks {

  public static final String TYPE = "bench:task";

  private static final int PAYLOAD_BYTES = 200;
  private static final int CHUNK = 500;

  private BenchmarkTasks() {}

  static Task task(long stamp) {
    byte[] payload = new byte[PAYLOAD_BYTES];
    ThreadLocalRandom.current().nextBytes(payload);
    ByteBuffer.wrap(payload).putLong(stamp);
    return Task.of(TYPE, Payload.of(payload));
  }

  public static long stampOf(Task task) {
    return task.payload().view().getLong();
  }

  public static EnqueueRequest request(QueueName queue, long stamp) {
    return request(queue, stamp, options -> options);
  }

  public static EnqueueRequest request(
      QueueName queue, long stamp, UnaryOperator<TaskOptions.Builder> more) {
    return EnqueueRequest.of(
        task(stamp), TaskOptions.of(options -> more.apply(options.queue(queue.value()))));
  }

  public static List<QueueName> queues(BenchmarkRedis redis, int count) {
    return IntStream.range(0, count).mapToObj(i -> redis.newQueue()).toList();
  }

  /** Spreads tasks evenly over queues. */
  public static void fill(BenchmarkRedis redis, List<QueueName> queues, int tasks) {
    try (TaskClient client = TaskClient.create(redis.connection())) {
      // Consecutive tasks go to the same queue, because a call is for one queue.
      for (int from = 0; from < tasks; from += CHUNK) {
        List<EnqueueRequest> chunk = new ArrayList<>(CHUNK);
        for (int i = from; i < Math.min(from + CHUNK, tasks); i++) {
          chunk.add(request(queues.get((int) ((long) i * queues.size() / tasks)), i));
        }
        client.enqueueAll(chunk).forEach(EnqueueResult::orThrow);
      }
    }
  }
}
