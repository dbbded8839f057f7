package io.asynq4j.cli.dash;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Outcome;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Enqueues sample tasks for tests of the terminal dashboard. */
public final class SampleTasks {

  private static final Duration LONG = Duration.ofHours(1);

  private SampleTasks() {}

  /** Enqueues this many pending tasks with the IDs prefix-0, prefix-1 and so on. */
  public static void pending(RedisConnection redis, String queue, String prefix, int count) {
    enqueue(
        redis,
        IntStream.range(0, count)
            .mapToObj(i -> request(queue, prefix + "-" + i, options -> options))
            .toList());
  }

  private static EnqueueRequest request(
      String queue, String id, UnaryOperator<TaskOptions.Builder> more) {
    Task task = Task.of("email:" + id.charAt(0), Payload.ofUtf8("{\"id\":\"" + id + "\"}"));
    return EnqueueRequest.of(task, options -> more.apply(options.queue(queue).id(id)));
  }

  private static void enqueue(RedisConnection redis, List<EnqueueRequest> requests) {
    try (TaskClient client = TaskClient.create(redis)) {
      client.enqueueAll(requests).forEach(EnqueueResult::orThrow);
    }
  }

  /** A task in each state: active, completed, retry, archived, scheduled, aggregating, pending. */
  public static void oneOfEach(RedisConnection redis, String queue) {
    TaskLeases leases = TaskLeases.create(redis);
    for (String id : List.of("completed-1", "retry-1", "archived-1", "active-1")) {
      enqueue(redis, List.of(request(queue, id, options -> options.retention(LONG))));
      LeasedTask leased = leases.claim(queue, 1, LONG).get(0);
      switch (id) {
        case "completed-1" -> leases.complete(leased, Payload.ofUtf8("\"done\""));
        case "retry-1" -> leases.settle(leased, Outcome.retry("connection refused", LONG));
        case "archived-1" -> leases.settle(leased, Outcome.archive("no such user"));
        default -> leases.progress(leased, 40, "at it");
      }
    }
    enqueue(
        redis,
        List.of(
            request(queue, "scheduled-1", options -> options.processIn(LONG)),
            request(queue, "aggregating-1", options -> options.group("digest")),
            request(queue, "pending-1", options -> options)));
  }
}
