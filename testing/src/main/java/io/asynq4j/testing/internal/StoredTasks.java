package io.asynq4j.testing.internal;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.TaskPage;
import java.util.ArrayList;
import java.util.List;

/** All tasks in Redis. Thread-safe. */
public final class StoredTasks {

  private static final int PAGE = 1_000;

  private final TestRedis redis;
  private final Inspector inspector;

  public StoredTasks(TestRedis redis) {
    this.redis = redis;
    this.inspector = Inspector.create(redis.own());
  }

  /** Returns the tasks of all queues and states. */
  public List<TaskInfo> all() {
    List<TaskInfo> all = new ArrayList<>();
    for (QueueName queue : redis.raw().queues()) {
      for (TaskState state : TaskState.values()) {
        if (state == TaskState.AGGREGATING) {
          for (String group : inspector.queue(queue).groups().keySet()) {
            addAll(all, page -> inspector.queue(queue).groupTasks(group, page));
          }
        } else {
          addAll(all, page -> inspector.queue(queue).tasks(state, page));
        }
      }
    }
    return all;
  }

  private interface Pages {
    TaskPage read(PageRequest page);
  }

  private static void addAll(List<TaskInfo> all, Pages pages) {
    TaskPage page = pages.read(PageRequest.first(PAGE));
    all.addAll(page.tasks());
    while (page.cursor() != null) {
      page = pages.read(PageRequest.first(PAGE).after(page.cursor()));
      all.addAll(page.tasks());
    }
  }
}
