package io.asynq4j.internal.redis.script;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Durability;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import io.asynq4j.internal.redis.command.IdempotencyLanes;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisNodes.PoolKind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Waits, on the connection that has just written, until enough replicas or the disk have the write.
 * For one call and its thread.
 */
public final class DurabilityConfirmer {

  private final DurabilityRequirement wanted;
  private @Nullable RuntimeException shortfall;

  public DurabilityConfirmer(DurabilityRequirement wanted) {
    this.wanted = wanted;
  }

  /**
   * Throws before anything is written if this Redis or its user does not allow the confirmation.
   */
  public static void requireSupport(RedisCommandExecutor link, int slot, Durability durability) {
    try {
      link.call(slot, ResendPolicy.SAFE, PoolKind.SHARED, waiting(durability, 0, 1), null);
    } catch (BrokerRefusedException e) {
      throw new BrokerRefusedException(
          "nothing was enqueued, because %s cannot be confirmed by this Redis: %s. It needs %s"
              .formatted(
                  durability,
                  e.getMessage(),
                  durability == Durability.REPLICATED
                      ? "the permission +wait"
                      : "Redis 7.2 or newer, appendonly yes and the permission +waitaof;"
                          + " otherwise choose PRIMARY or REPLICATED"),
          false,
          e);
    }
  }

  private static CommandArguments waiting(Durability durability, int replicas, int millis) {
    return durability == Durability.REPLICATED
        ? new CommandArguments(Command.WAIT).add(replicas).add(millis)
        : new CommandArguments(Command.WAITAOF).add(1).add(0).add(millis);
  }

  /** Waits for the confirmation. Never throws, since the write itself has succeeded. */
  void confirm(Connection connection, byte @Nullable [] lane) {
    int usual = connection.getSoTimeout();
    int most = Math.toIntExact(wanted.within().toMillis());
    try {
      if (lane != null) {
        // A repeated call is answered from the stored reply and writes nothing, but Redis waits
        // only for writes of this connection.
        connection.executeCommand(
            new CommandArguments(Command.EXPIRE).add(lane).add(IdempotencyLanes.KEEP.toSeconds()));
      }
      connection.setSoTimeout(most + usual);
      shortfall =
          missing(
              connection.executeCommand(waiting(wanted.durability(), wanted.replicas(), most)),
              most);
      connection.setSoTimeout(usual);
    } catch (JedisException e) {
      connection.setBroken();
      shortfall =
          new BrokerUnavailableException("Redis did not confirm it: " + e.getMessage(), true, e);
    }
  }

  private @Nullable RuntimeException missing(Object reply, int most) {
    if (wanted.durability() == Durability.REPLICATED) {
      long have = ReplyParser.number(reply);
      return have >= wanted.replicas()
          ? null
          : late("%d of %d replicas had it after %d ms".formatted(have, wanted.replicas(), most));
    }
    List<@Nullable Object> local = ReplyParser.list(reply);
    return ReplyParser.number(local.get(0)) >= 1 ? null : late("not on disk after " + most + " ms");
  }

  private static RuntimeException late(String problem) {
    return new BrokerUnavailableException(problem, true, new IllegalStateException(problem));
  }

  /** Returns why the write is not confirmed; null if it is. */
  public @Nullable RuntimeException shortfall() {
    return shortfall;
  }
}
