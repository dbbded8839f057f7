package io.asynq4j.examples;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.redis.RedisConnection;

/** Lists tasks, explains why one does not run, and changes some of them. */
public final class InspectQueues {

  record Mail(String to, String country) {}

  static final TaskType<Mail> MAIL = TaskType.of("mail", Mail.class).with(o -> o.queue("mails"));

  private InspectQueues() {}

  public static void main(String[] arguments) {
    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis)) {
      client.enqueue(MAIL, new Mail("ann@example.org", "NO"));
      client.enqueue(MAIL, new Mail("ben@example.org", "DE"));
      client.enqueue(MAIL, new Mail("cem@example.org", "NO"));

      Inspector inspector = Inspector.create(redis);
      inspector.queue("mails").pause();
      System.out.println(inspector.queue("mails").snapshot().size(TaskState.PENDING) + " wait");

      TaskInfo next =
          inspector.queue("mails").tasks(TaskState.PENDING, PageRequest.first(1)).tasks().get(0);
      inspector
          .queue("mails")
          .explain(next.id())
          .reasons()
          .forEach(reason -> System.out.println("because: " + reason.getClass().getSimpleName()));

      Selection norwegian =
          inspector
              .queue("mails")
              .select(TaskState.PENDING)
              .where(TaskFilter.payloadAt("$.country", "NO"));
      System.out.println("dry run: " + norwegian.count().matched());
      BulkReport moved = norwegian.moveTo("mails-no");
      System.out.println("moved: " + moved.done() + ", failed: " + moved.failed());
      System.out.println("left: " + inspector.queue("mails").snapshot().size(TaskState.PENDING));
    }
  }
}
