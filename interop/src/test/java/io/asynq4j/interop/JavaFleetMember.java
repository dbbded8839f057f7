package io.asynq4j.interop;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.GroupAggregator.Aggregated;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A Java member of a fleet as a program. It acts and reports events like {@code fleet.go}. Its
 * arguments are the URL of Redis and the queues.
 */
final class JavaFleetMember {

  private JavaFleetMember() {}

  public static void main(String[] args) {
    try (RedisConnection redis = RedisConnection.open(args[0])) {
      TaskServerBuilder builder =
          TaskServer.builder(redis)
              .concurrency(10)
              .handlers(JavaFleetMember::roll)
              .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(300)))
              .groups(
                  groups ->
                      groups
                          .aggregator(JavaFleetMember::joinAndLog)
                          .maxSize(20)
                          .grace(Duration.ofSeconds(1))
                          .maxDelay(Duration.ofSeconds(2)))
              // Tasks of processes that are killed often must not be archived for their crashes.
              .crashes(crashes -> crashes.max(1_000).delay(Duration.ofSeconds(1)))
              .timing(timing -> timing.repairInterval(Duration.ofSeconds(2)))
              .listener(new Told());
      for (String queue : args[1].split(",", -1)) {
        builder.queue(queue);
      }
      try (TaskServer server = builder.build()) {
        note("ready", "", "");
        server.run();
      }
    }
  }

  private static final class Told implements ServerListener {
    @Override
    public void leaseLost(TaskRef task) {
      note("lost", task.id(), "");
    }
  }

  private static void note(String what, String id, String more) {
    System.out.println(System.currentTimeMillis() + " " + what + " " + id + " " + more);
  }

  private static Aggregated joinAndLog(QueueName queue, String group, List<Task> members) {
    String id = "joined-" + UUID.randomUUID();
    Task joined = SampleTasks.join(queue, group, members).task();
    note("joined", id, membersOf(joined));
    return Aggregated.of(joined, options -> options.id(id));
  }

  private static String membersOf(Task joined) {
    return joined.payload().utf8().replace('\n', ' ');
  }

  private static Outcome roll(Task task, TaskContext context) throws InterruptedException {
    String id = context.id();
    String attempt = context.queue().value() + " " + context.retryCount();
    if (task.type().startsWith("joined:")) {
      note("start", id, attempt + " " + membersOf(task));
      note("done", id, "");
      return Outcome.done();
    }
    note("start", id, attempt);
    String[] words = task.payload().utf8().split(" ", -1);
    // This handler only takes time.
    Thread.sleep(Long.parseLong(words[1]));
    if (ThreadLocalRandom.current().nextInt(100) < Integer.parseInt(words[2])) {
      note("failed", id, "");
      return Outcome.retry("by chance");
    }
    if (words[3].equals("archive")) {
      note("archive", id, "");
      return Outcome.archive("as requested: skip retry for the task");
    }
    note("done", id, "");
    return words[3].equals("result") ? Outcome.done(Payload.ofUtf8(id)) : Outcome.done();
  }
}
