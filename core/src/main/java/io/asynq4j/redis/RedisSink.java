package io.asynq4j.redis;

import io.asynq4j.QueueName;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.NewTask.Placement;
import io.asynq4j.broker.Seconds;
import io.asynq4j.broker.TaskMessage;
import io.asynq4j.broker.TaskSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts new tasks into Redis, many per call. */
final class RedisSink implements TaskSink {

  /** Tasks that go by the same call. */
  private record Lot(QueueName queue, Script script) {}

  private final Scripts scripts;
  private final Registry registry;
  private final boolean numbered;

  RedisSink(Scripts scripts, Registry registry, boolean numbered) {
    this.scripts = scripts;
    this.registry = registry;
    this.numbered = numbered;
  }

  @Override
  public List<EnqueueAnswer> enqueue(List<NewTask> tasks) {
    Map<Lot, List<Integer>> lots = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      NewTask task = tasks.get(i);
      lots.computeIfAbsent(
              new Lot(task.message().queue(), script(task.placement())), lot -> new ArrayList<>())
          .add(i);
    }
    @Nullable EnqueueAnswer[] answers = new EnqueueAnswer[tasks.size()];
    lots.forEach((lot, places) -> enqueue(lot, places, tasks, answers));
    return Arrays.asList(answers);
  }

  private void enqueue(
      Lot lot, List<Integer> places, List<NewTask> tasks, @Nullable EnqueueAnswer[] answers) {
    registry.register(lot.queue());
    for (List<Integer> batch : Batches.of(places)) {
      Args args = new Args(batch.size() * lot.script().items().size());
      for (int place : batch) {
        add(args, lot.script(), tasks.get(place));
      }
      List<@Nullable Object> replies = Reply.list(run(lot, args));
      for (int i = 0; i < batch.size(); i++) {
        answers[batch.get(i)] = answer(replies.get(i));
      }
    }
  }

  private @Nullable Object run(Lot lot, Args args) {
    return numbered
        ? scripts.run(lot.script(), lot.queue(), args)
        : scripts.runOnce(lot.script(), lot.queue(), args);
  }

  private static Script script(Placement placement) {
    if (placement instanceof Placement.Pending) {
      return Script.ENQUEUE;
    }
    return placement instanceof Placement.Grouped ? Script.GROUP : Script.SCHEDULE;
  }

  private static void add(Args args, Script script, NewTask task) {
    TaskMessage message = stored(task);
    args.add(message.id())
        .add(MessageCodec.encode(message))
        .add(message.uniqueKey())
        .add(ttl(task));
    if (task.placement() instanceof Placement.At at) {
      args.add(at.when().toEpochMilli()).addEmpty().add(at.precise()).add(message.group());
    } else if (task.placement() instanceof Placement.After after) {
      args.addEmpty().add(after.delay().toMillis()).add(after.precise()).add(message.group());
    } else if (script == Script.GROUP) {
      args.add(message.group());
    }
  }

  /** The message with the key of its lock, when it is to be unique. */
  static TaskMessage stored(NewTask task) {
    TaskMessage message = task.message();
    return task.uniqueFor() == null
        ? message
        : message.withUniqueKey(Keys.unique(message.queue(), message.type(), message.payload()));
  }

  static long ttl(NewTask task) {
    return task.uniqueFor() == null ? 0 : Seconds.ceil(task.uniqueFor());
  }

  private static EnqueueAnswer answer(@Nullable Object reply) {
    if (reply instanceof Long code) {
      return code == 1 ? EnqueueAnswer.ENQUEUED : EnqueueAnswer.ID_CONFLICT;
    }
    return EnqueueAnswer.duplicateOf(Reply.text(reply));
  }
}
