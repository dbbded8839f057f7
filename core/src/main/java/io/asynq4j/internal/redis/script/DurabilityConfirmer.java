package io.asynq4j.internal.redis.script;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Durability;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.IdempotencyLanes;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Asks Redis, on the connection that has just written, until how many replicas or the disk have
 * what was written. For one call, and its thread.
 */
public final class DurabilityConfirmer {

  private final DurabilityRequirement wanted;
  private @Nullable RuntimeException shortfall;

  public DurabilityConfirmer(DurabilityRequirement wanted) {
    this.wanted = wanted;
  }

  /**
   * Fails if this Redis cannot be asked, or must not be by this user, while nothing is written yet.
   */
  public static void requireSupport(RedisCommandExecutor link, int slot, Durability durability) {
    Command command = durability == Durability.REPLICATED ? Command.WAIT : Command.WAITAOF;
    CommandArgs args = new CommandArgs();
    if (durability == Durability.REPLICATED) {
      args.add(0).add(1);
    } else {
      args.add(1).add(0).add(1);
    }
    try {
      link.call(slot, ResendPolicy.SAFE, command, args);
    } catch (BrokerRefusedException e) {
      throw new BrokerRefusedException(
          "nothing was enqueued, since %s cannot be confirmed here: %s. %s"
              .formatted(durability, e.getMessage(), advice(durability)),
          false,
          e);
    }
  }

  private static String advice(Durability durability) {
    return durability == Durability.REPLICATED
        ? "It needs the permission +wait"
        : "It needs Redis 7.2 or newer, appendonly yes and the permission +waitaof;"
            + " otherwise choose PRIMARY or REPLICATED";
  }

  /** Waits for the confirmation. Never throws: what was written is written. */
  void confirm(Connection connection, byte @Nullable [] lane) {
    int usual = connection.getSoTimeout();
    int most = Math.toIntExact(wanted.within().toMillis());
    try {
      if (lane != null) {
        // What is answered from memory, because it came a second time, writes nothing, and Redis
        // waits only for what this connection has written.
        connection.executeCommand(
            new CommandArguments(Command.EXPIRE).add(lane).add(IdempotencyLanes.KEEP.toSeconds()));
      }
      connection.setSoTimeout(most + usual);
      shortfall = missing(connection.executeCommand(waiting(most)), most);
      connection.setSoTimeout(usual);
    } catch (JedisException e) {
      connection.setBroken();
      shortfall =
          new BrokerUnavailableException(
              "Redis did not say whether it is: " + e.getMessage(), true, e);
    }
  }

  private CommandArguments waiting(int most) {
    return wanted.durability() == Durability.REPLICATED
        ? new CommandArguments(Command.WAIT).add(wanted.replicas()).add(most)
        : new CommandArguments(Command.WAITAOF).add(1).add(0).add(most);
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

  /** Why it is not confirmed; null when it is. */
  public @Nullable RuntimeException shortfall() {
    return shortfall;
  }
}
