package io.asynq4j.interop.peer;

import io.asynq4j.RetryPolicy;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServer;
import java.time.Duration;

/** A worker of ours as a program: its arguments are the Redis and the queue. */
public final class JavaWorker {

  private JavaWorker() {}

  public static void main(String[] args) {
    try (RedisConnection redis = RedisConnection.open(args[0]);
        TaskServer server =
            TaskServer.builder(redis)
                .queue(args[1])
                .concurrency(5)
                .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(2)))
                .handlers(new PayloadDrivenHandler(JavaWorker::say))
                .listener(new Told())
                .build()) {
      say(event("ready", ""));
      server.run();
    }
  }

  private static final class Told implements ServerListener {
    @Override
    public void settled(TaskRef task, Outcome outcome, Duration after) {
      say(event("settled", task.id()));
    }

    @Override
    public void leaseLost(TaskRef task) {
      say(event("lost", task.id()));
    }
  }

  private static WorkerProcess.Event event(String kind, String id) {
    return new WorkerProcess.Event(kind, id, null, null, null, null, 0, 0, 0, null, 0);
  }

  private static void say(WorkerProcess.Event event) {
    System.out.println(GoPeer.JSON.writeValueAsString(event));
  }
}
