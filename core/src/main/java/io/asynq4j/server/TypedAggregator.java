package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import java.util.ArrayList;
import java.util.List;

/** Aggregates tasks of one type into a task of another. */
record TypedAggregator<T, R>(TaskType<T> in, TaskType<R> out, GroupAggregator.Merge<T, R> merge)
    implements GroupAggregator {

  @Override
  public Aggregated aggregate(QueueName queue, String group, List<Task> tasks) throws Exception {
    return aggregate(queue, group, tasks, PayloadCodec.json());
  }

  @Override
  public Aggregated aggregate(QueueName queue, String group, List<Task> tasks, PayloadCodec codec)
      throws Exception {
    List<T> inputs = new ArrayList<>(tasks.size());
    for (Task task : tasks) {
      if (!task.type().equals(in.name())) {
        throw new IllegalStateException(
            "group \"%s\" of queue \"%s\" has a task of type \"%s\", but its aggregator accepts only \"%s\": enqueue other types into another group"
                .formatted(group, queue, task.type(), in.name()));
      }
      inputs.add(in.input(task, codec));
    }
    return Aggregated.of(out, merge.merge(inputs), codec);
  }
}
