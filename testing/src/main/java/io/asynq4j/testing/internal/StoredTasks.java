package io.asynq4j.testing.internal;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.TaskPage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** All tasks in Redis. Thread-safe. */
public final class StoredTasks {

  private static final int PAGE = 1_000;

  private final TestRedis redis;
  private final Inspector inspector;
  private final Supplier<String> hint;

  /**
   * @param hint why tasks may be missing, as a sentence; empty if nothing is known
   */
  public StoredTasks(TestRedis redis, Supplier<String> hint) {
    this.redis = redis;
    this.hint = hint;
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

  /** Returns why tasks may be missing, on a line of its own; empty if nothing is known. */
  public String hint() {
    String text = hint.get();
    return text.isEmpty() ? "" : "\n" + text;
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
