package io.asynq4j.benchmarks.compare;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.MeasuredServer;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** asynq4j in the comparison, in its own process. */
final class Asynq4jContender implements Contender {

  private final String uri;
  private final @Nullable Duration lease;
  private final RedisConnection redis;
  private final TaskClient client;
  private @Nullable MeasuredServer server;

  private Asynq4jContender(String uri, @Nullable Duration lease) {
    this.uri = uri;
    this.lease = lease;
    this.redis = RedisConnection.open(uri);
    this.client = TaskClient.create(redis);
  }

  /** Arguments: URL, and optionally the lease in milliseconds. */
  public static void main(String[] arguments) throws Exception {
    ContenderCommandLoop.run(
        new Asynq4jContender(
            arguments[0],
            arguments.length > 1 ? Duration.ofMillis(Long.parseLong(arguments[1])) : null));
  }

  @Override
  public String description() {
    return "asynq4j; defaults, one client shared by all producers, enqueueAll for many";
  }

  @Override
  public void start(String queue, int concurrency, Consumer<String> handler) {
    server =
        MeasuredServer.start(
            uri,
            List.of(QueueName.of(queue)),
            concurrency,
            (task, context) -> {
              handler.accept(task.payload().utf8());
              return Outcome.done();
            },
            builder ->
                lease == null
                    ? builder
                    : builder.timing(timing -> timing.lease(lease).heartbeat(lease.dividedBy(3))));
  }

  @Override
  public void stop() {
    if (server != null) {
      server.close();
      server = null;
    }
  }

  private static EnqueueRequest request(String queue, String text) {
    return EnqueueRequest.of(
        Task.of(BenchmarkTasks.TYPE, Payload.ofUtf8(text)),
        TaskOptions.of(options -> options.queue(queue)));
  }

  @Override
  public void enqueue(String queue, String text) {
    client.enqueue(request(queue, text)).orThrow();
  }

  @Override
  public void enqueueAll(String queue, List<String> texts) {
    client
        .enqueueAll(texts.stream().map(text -> request(queue, text)).toList())
        .forEach(EnqueueResult::orThrow);
  }

  @Override
  public void schedule(String queue, String text, Instant due, boolean precise) {
    client
        .enqueue(
            EnqueueRequest.of(
                Task.of(BenchmarkTasks.TYPE, Payload.ofUtf8(text)),
                TaskOptions.of(
                    options -> {
                      options.queue(queue).processAt(due);
                      return precise ? options.precise() : options;
                    })))
        .orThrow();
  }

  /** The controlling process reads Redis itself. */
  @Override
  public long left(String queue) {
    throw new UnsupportedOperationException("Redis is read by the controlling process");
  }

  @Override
  public void close() {
    stop();
    client.close();
    redis.close();
  }
}
