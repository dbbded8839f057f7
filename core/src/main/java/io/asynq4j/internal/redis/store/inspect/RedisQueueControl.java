package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.broker.inspect.QueueControl;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.codec.RateField;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** Reads and sets the pause and the limits of queues. Thread-safe. */
public record RedisQueueControl(RedisCommandExecutor link, BrokerTime time)
    implements QueueControl {

  @Override
  public boolean pause(QueueName queue) {
    String key = RedisKeys.of(queue, "paused");
    CommandArgs args =
        new CommandArgs().add(key).add(time.clock().instant().getEpochSecond()).add("NX");
    return link.call(key, ResendPolicy.NEVER, Command.SET, args) != null;
  }

  @Override
  public boolean resume(QueueName queue) {
    String key = RedisKeys.of(queue, "paused");
    CommandArgs args = new CommandArgs().add(key);
    return ReplyParser.number(link.call(key, ResendPolicy.NEVER, Command.DEL, args)) == 1;
  }

  @Override
  public QueueLimits limits(QueueName queue) {
    String key = RedisKeys.of(queue, "settings");
    List<@Nullable Object> reply = fields(key, "max_active", "ordered");
    return new QueueLimits(
        reply.get(0) == null
            ? OptionalInt.empty()
            : OptionalInt.of(ReplyParser.integer(reply.get(0))),
        Optional.ofNullable(reply.get(1)).map(ordered -> ReplyParser.number(ordered) == 1),
        RateField.read(reply.get(2), reply.get(3), reply.get(4)));
  }

  @Override
  public void setLimits(QueueName queue, QueueLimits limits) {
    String key = RedisKeys.of(queue, "settings");
    if (limits.equals(QueueLimits.NONE)) {
      link.callSafe(Command.DEL, key);
      return;
    }
    CommandArgs set = new CommandArgs().add(key);
    CommandArgs unset = new CommandArgs().add(key);
    limits
        .maxActive()
        .ifPresentOrElse(n -> set.add("max_active").add(n), () -> unset.add("max_active"));
    limits.ordered().ifPresentOrElse(on -> set.add("ordered").add(on), () -> unset.add("ordered"));
    limits
        .rate()
        .ifPresentOrElse(
            rate -> RateField.addFields(set, rate),
            () -> unset.add(RateField.TASKS).add(RateField.MILLIS).add(RateField.BURST));
    link.call(key, ResendPolicy.SAFE, Command.HSET, set);
    if (unset.size() > 1) {
      link.call(key, ResendPolicy.SAFE, Command.HDEL, unset);
    }
  }

  @Override
  public Optional<Pace> pace(QueueName queue) {
    Optional<RateLimit> set = limits(queue).rate();
    String key = RedisKeys.of(queue, "bucket");
    List<@Nullable Object> kept = fields(key, "tokens", "at");
    RateLimit rate =
        set.or(() -> RateField.read(kept.get(2), kept.get(3), kept.get(4))).orElse(null);
    if (rate == null || rate.isUnlimited()) {
      return Optional.empty();
    }
    Instant now = time.clock().instant();
    double tokens = rate.burst();
    if (kept.get(0) != null && kept.get(1) != null) {
      long since = Math.max(0, now.toEpochMilli() - ReplyParser.number(kept.get(1)));
      double filled =
          Double.parseDouble(ReplyParser.text(kept.get(0))) + since * rate.perSecond() / 1000;
      tokens = Math.min(tokens, filled);
    }
    return Optional.of(new Pace(rate, tokens, now));
  }

  /** Returns two fields of a hash, and those of its rate. */
  private List<@Nullable Object> fields(String key, String first, String second) {
    return ReplyParser.list(
        link.callSafe(
            Command.HMGET, key, first, second, RateField.TASKS, RateField.MILLIS, RateField.BURST));
  }
}
