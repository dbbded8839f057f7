package io.asynq4j.examples;

import static java.time.Duration.ofMinutes;

import io.asynq4j.TaskType;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.redis.RedisConnection;

/** While an equal task waits or runs, a second one is not let in. */
public final class UniqueTasks {

  record Report(String month) {}

  static final TaskType<Report> REPORT =
      TaskType.of("report", Report.class).with(o -> o.uniqueFor(ofMinutes(30)));

  private UniqueTasks() {}

  public static void main(String[] arguments) {
    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis)) {
      String first = client.enqueue(REPORT, new Report("May")).orThrow().id();
      EnqueueResult second = client.enqueue(REPORT, new Report("May"));
      EnqueueResult other = client.enqueue(REPORT, new Report("June"));

      if (second instanceof EnqueueResult.Duplicate duplicate) {
        System.out.println("May waits already: " + duplicate.holderId().equals(first));
      }
      System.out.println("June is enqueued: " + other.isEnqueued());
    }
  }
}
