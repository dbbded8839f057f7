package io.asynq4j.internal.redis.store.task;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Aggregation;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.codec.UnreadableMessageException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.time.WholeSeconds;
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

/** Redis implementation of task groups. */
public record RedisAggregation(ScriptRunner scripts, RedisCommandExecutor link)
    implements Aggregation {

  private static final Logger log = LoggerFactory.getLogger(RedisAggregation.class);

  @Override
  public Set<String> groups(QueueName queue) {
    String key = RedisKeys.of(queue, "groups");
    return new TreeSet<>(ReplyParser.texts(link.callSafe(Protocol.Command.SMEMBERS, key)));
  }

  @Override
  public Optional<AggregationSet> aggregate(QueueName queue, String group, GroupRules rules) {
    String setId = UUID.randomUUID().toString();
    CommandArgs args =
        new CommandArgs(6)
            .add(group)
            .add(setId)
            .add(rules.maxSize())
            .add(WholeSeconds.ceil(rules.maxDelay()))
            .add(WholeSeconds.ceil(rules.grace()))
            .add(WholeSeconds.ceil(rules.timeout()));
    int size = scripts.runInt(Script.AGGREGATE, queue, args);
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
      CommandArgs args = new CommandArgs(3).add(key(set)).add(offset).add(BatchSplitter.MAX);
      List<@Nullable Object> reply = scripts.runList(Script.READ_SET, set.queue(), args);
      String score = ReplyParser.text(reply.get(0));
      deadline = score.isEmpty() ? null : ReplyParser.second(score);
      for (int i = 1; i < reply.size(); i += 2) {
        String id = ReplyParser.text(reply.get(i));
        try {
          messages.add(MessageCodec.decode(ReplyParser.bytes(reply.get(i + 1)), set.queue(), id));
        } catch (UnreadableMessageException e) {
          unreadable.put(id, String.valueOf(e.getMessage()));
        }
      }
      read = (reply.size() - 1) / 2;
      offset += read;
    } while (read == BatchSplitter.MAX);
    if (deadline != null) {
      unreadable.forEach((id, reason) -> quarantine(set, id, reason));
    }
    return new SetContent(messages, deadline);
  }

  private void quarantine(AggregationSet set, String id, String reason) {
    CommandArgs args = new CommandArgs(3).add(key(set)).add(id).add(MessageCodec.errorText(reason));
    if (ReplyParser.number(scripts.run(Script.QUARANTINE, set.queue(), args)) == 1) {
      log.error(
          "task {} of group {} cannot be read and was archived: {}",
          LogText.name(id),
          LogText.name(set.group()),
          LogText.name(reason));
    }
  }

  @Override
  public FinishAnswer finish(AggregationSet set, @Nullable NewTask aggregated) {
    CommandArgs args = new CommandArgs(10).add(key(set)).add(set.setId());
    if (aggregated == null) {
      for (int i = 0; i < 8; i++) {
        args.addEmpty();
      }
    } else {
      QueueName queue = aggregated.message().queue();
      if (!queue.equals(set.queue())) {
        throw new IllegalArgumentException(
            "tasks of queue " + set.queue() + " cannot become a task of queue " + queue);
      }
      RedisEnqueueOperations.add(args, aggregated);
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

  @Override
  public int giveBack(AggregationSet set) {
    return reclaim(set.queue(), key(set));
  }

  @Override
  public int reclaimStale(QueueName queue) {
    return reclaim(queue, "");
  }

  /** Returns the tasks of all sets to their groups, including sets that are being processed. */
  public void reclaimAll(QueueName queue) {
    String key = RedisKeys.of(queue, "aggregation_sets");
    ReplyParser.texts(link.callSafe(Protocol.Command.ZRANGE, key, 0, -1))
        .forEach(setKey -> reclaim(queue, setKey));
  }

  private int reclaim(QueueName queue, String setKey) {
    int moved = 0;
    List<@Nullable Object> reply;
    do {
      CommandArgs args = new CommandArgs(2).add(setKey).add(BatchSplitter.MAX);
      reply = scripts.runList(Script.RECLAIM, queue, args);
      moved += ReplyParser.integer(reply.get(0));
    } while (ReplyParser.number(reply.get(1)) == 1);
    return moved;
  }

  @Override
  public int sweep(QueueName queue, int limit) {
    return scripts.runInt(
        Script.SWEEP, queue, new CommandArgs(1).add(Math.min(limit, BatchSplitter.MAX)));
  }

  private static String key(AggregationSet set) {
    return RedisKeys.aggregationSet(set.queue(), set.group(), set.setId());
  }
}
