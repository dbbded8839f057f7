package io.asynq4j.redis;

import io.asynq4j.QueueName;
import io.asynq4j.broker.Aggregation;
import io.asynq4j.broker.LogText;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.Seconds;
import io.asynq4j.broker.TaskMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol;

/** Groups in Redis. */
final class RedisAggregation implements Aggregation {

  private static final Logger log = LoggerFactory.getLogger(RedisAggregation.class);

  private final Scripts scripts;
  private final Link link;

  RedisAggregation(Scripts scripts, Link link) {
    this.scripts = scripts;
    this.link = link;
  }

  @Override
  public Set<String> groups(QueueName queue) {
    String key = Keys.of(queue, "groups");
    Set<String> groups = new TreeSet<>();
    for (Object name :
        Reply.list(link.call(key, Repeat.SAFE, Protocol.Command.SMEMBERS, new Args().add(key)))) {
      groups.add(Reply.text(name));
    }
    return groups;
  }

  @Override
  public Optional<AggregationSet> aggregate(QueueName queue, String group, GroupRules rules) {
    String setId = UUID.randomUUID().toString();
    Args args =
        new Args(6)
            .add(group)
            .add(setId)
            .add(rules.maxSize())
            .add(Seconds.ceil(rules.maxDelay()))
            .add(Seconds.ceil(rules.grace()))
            .add(Seconds.ceil(rules.timeout()));
    int size = Reply.integer(scripts.run(Script.AGGREGATE, queue, args));
    return size == 0
        ? Optional.empty()
        : Optional.of(new AggregationSet(queue, group, setId, size));
  }

  @Override
  public SetContent read(AggregationSet set) {
    List<TaskMessage> messages = new ArrayList<>(set.size());
    Map<String, String> unreadable = new LinkedHashMap<>();
    Instant deadline;
    int offset = 0;
    int read;
    do {
      Args args = new Args(3).add(key(set)).add(offset).add(Batches.MAX);
      List<@Nullable Object> reply = Reply.list(scripts.run(Script.READ_SET, set.queue(), args));
      deadline = deadline(Reply.text(reply.get(0)));
      for (int i = 1; i < reply.size(); i += 2) {
        String id = Reply.text(reply.get(i));
        try {
          messages.add(MessageCodec.decode(Reply.bytes(reply.get(i + 1)), set.queue(), id));
        } catch (UnreadableMessageException e) {
          unreadable.put(id, String.valueOf(e.getMessage()));
        }
      }
      read = (reply.size() - 1) / 2;
      offset += read;
    } while (read == Batches.MAX);
    if (deadline != null) {
      unreadable.forEach((id, reason) -> quarantine(set, id, reason));
    }
    return new SetContent(messages, deadline, List.copyOf(unreadable.keySet()));
  }

  private void quarantine(AggregationSet set, String id, String reason) {
    Args args = new Args(3).add(key(set)).add(id).add(MessageCodec.errorText(reason));
    if (Reply.number(scripts.run(Script.QUARANTINE, set.queue(), args)) == 1) {
      log.error(
          "task {} of group {} was archived unread: {}",
          LogText.name(id),
          LogText.name(set.group()),
          LogText.name(reason));
    }
  }

  private static @Nullable Instant deadline(String score) {
    return score.isEmpty() ? null : Reply.second(score);
  }

  @Override
  public FinishAnswer finish(AggregationSet set, @Nullable NewTask aggregated) {
    Args args = new Args(10).add(key(set)).add(set.setId());
    if (aggregated == null) {
      for (int i = 0; i < 8; i++) {
        args.addEmpty();
      }
    } else {
      requireQueue(set, aggregated);
      RedisSink.add(args, aggregated);
    }
    Object reply = scripts.run(Script.FINISH_SET, set.queue(), args);
    if (!(reply instanceof Long code)) {
      return FinishAnswer.DUPLICATE;
    }
    return switch (code.intValue()) {
      case 1 -> FinishAnswer.DONE;
      case 0 -> FinishAnswer.ID_CONFLICT;
      default -> FinishAnswer.SET_LOST;
    };
  }

  private static void requireQueue(AggregationSet set, NewTask aggregated) {
    QueueName queue = aggregated.message().queue();
    if (!queue.equals(set.queue())) {
      throw new IllegalArgumentException(
          "tasks of queue " + set.queue() + " cannot become a task of queue " + queue);
    }
  }

  @Override
  public int giveBack(AggregationSet set) {
    return reclaim(set.queue(), key(set));
  }

  @Override
  public int reclaimStale(QueueName queue) {
    return reclaim(queue, "");
  }

  /** Gives back the tasks of all sets, also of those that are being worked on. */
  void reclaimAll(QueueName queue) {
    String key = Keys.of(queue, "aggregation_sets");
    Args args = new Args().add(key).add(0).add(-1);
    for (Object setKey : Reply.list(link.call(key, Repeat.SAFE, Protocol.Command.ZRANGE, args))) {
      reclaim(queue, Reply.text(setKey));
    }
  }

  private int reclaim(QueueName queue, String setKey) {
    int moved = 0;
    boolean more = true;
    while (more) {
      Args args = new Args(2).add(setKey).add(Batches.MAX);
      List<@Nullable Object> reply = Reply.list(scripts.run(Script.RECLAIM, queue, args));
      moved += Reply.integer(reply.get(0));
      more = Reply.number(reply.get(1)) == 1;
    }
    return moved;
  }

  @Override
  public int sweep(QueueName queue, int limit) {
    return Reply.integer(
        scripts.run(Script.SWEEP, queue, new Args(1).add(Math.min(limit, Batches.MAX))));
  }

  private static String key(AggregationSet set) {
    return Keys.aggregationSet(set.queue(), set.group(), set.setId());
  }
}
