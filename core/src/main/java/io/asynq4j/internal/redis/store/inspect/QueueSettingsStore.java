package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.internal.broker.Inspection.Pace;
import io.asynq4j.internal.broker.Inspection.Settings;
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
final class QueueSettingsStore {

  private final RedisCommandExecutor link;
  private final BrokerTime time;

  QueueSettingsStore(RedisCommandExecutor link, BrokerTime time) {
    this.link = link;
    this.time = time;
  }

  boolean pause(QueueName queue) {
    String key = RedisKeys.of(queue, "paused");
    CommandArgs args =
        new CommandArgs().add(key).add(time.clock().instant().getEpochSecond()).add("NX");
    return link.call(key, ResendPolicy.NEVER, Command.SET, args) != null;
  }

  boolean resume(QueueName queue) {
    String key = RedisKeys.of(queue, "paused");
    return ReplyParser.number(
            link.call(key, ResendPolicy.NEVER, Command.DEL, new CommandArgs().add(key)))
        == 1;
  }

  Optional<Instant> pausedSince(QueueName queue) {
    String key = RedisKeys.of(queue, "paused");
    Object since = link.callSafe(Command.GET, key);
    if (since == null) {
      return Optional.empty();
    }
    // The value does not matter: the key's existence pauses the queue.
    return Optional.of(ReplyParser.second(ReplyParser.text(since)));
  }

  Settings settings(QueueName queue) {
    String key = RedisKeys.of(queue, "settings");
    CommandArgs args = new CommandArgs().add(key).add("max_active").add("ordered");
    args.add(RateField.TASKS).add(RateField.MILLIS).add(RateField.BURST);
    List<@Nullable Object> reply =
        ReplyParser.list(link.call(key, ResendPolicy.SAFE, Command.HMGET, args));
    return new Settings(
        reply.get(0) == null
            ? OptionalInt.empty()
            : OptionalInt.of(ReplyParser.integer(reply.get(0))),
        reply.get(1) == null
            ? Optional.empty()
            : Optional.of(ReplyParser.number(reply.get(1)) == 1),
        RateField.read(reply.get(2), reply.get(3), reply.get(4)));
  }

  void set(QueueName queue, Settings settings) {
    String key = RedisKeys.of(queue, "settings");
    if (settings.equals(Settings.NONE)) {
      link.callSafe(Command.DEL, key);
      return;
    }
    CommandArgs set = new CommandArgs().add(key);
    CommandArgs unset = new CommandArgs().add(key);
    settings
        .maxActive()
        .ifPresentOrElse(n -> set.add("max_active").add(n), () -> unset.add("max_active"));
    settings
        .ordered()
        .ifPresentOrElse(on -> set.add("ordered").add(on), () -> unset.add("ordered"));
    settings
        .rate()
        .ifPresentOrElse(
            rate -> RateField.addFields(set, rate),
            () -> unset.add(RateField.TASKS).add(RateField.MILLIS).add(RateField.BURST));
    link.call(key, ResendPolicy.SAFE, Command.HSET, set);
    if (unset.size() > 1) {
      link.call(key, ResendPolicy.SAFE, Command.HDEL, unset);
    }
  }

  Optional<Pace> pace(QueueName queue) {
    Optional<RateLimit> set = settings(queue).rate();
    String key = RedisKeys.of(queue, "bucket");
    CommandArgs args = new CommandArgs().add(key).add("tokens").add("at");
    args.add(RateField.TASKS).add(RateField.MILLIS).add(RateField.BURST);
    List<@Nullable Object> kept =
        ReplyParser.list(link.call(key, ResendPolicy.SAFE, Command.HMGET, args));
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
}
