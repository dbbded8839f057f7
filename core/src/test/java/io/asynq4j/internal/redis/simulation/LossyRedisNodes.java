package io.asynq4j.internal.redis.simulation;

import io.asynq4j.internal.redis.connection.RedisNodes;
import io.asynq4j.internal.redis.connection.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Servers whose answers get lost when a test wants it: the command is done, and the connection is
 * broken. Also remembers numbered calls, so that they can arrive a second time. For one thread.
 */
public final class LossyRedisNodes implements RedisNodes {

  /** A numbered call that Redis has answered. */
  record Sent(int slot, CommandArguments arguments, @Nullable Object answer) {}

  private static final int REMEMBERED = 60;

  private final RedisNodes nodes;
  private final Deque<Sent> sent = new ArrayDeque<>();
  private int answersUntilLoss;
  private boolean lost;

  public LossyRedisNodes(RedisNodes nodes) {
    this.nodes = nodes;
  }

  /** The answer to the nth script from now gets lost; 0 = none. */
  public void loseAnswer(int nth) {
    answersUntilLoss = nth;
    lost = false;
  }

  /** Whether one got lost since it was asked for. */
  boolean hasLost() {
    return lost;
  }

  Deque<Sent> sent() {
    return sent;
  }

  @Override
  public Connection connect(int slot, PoolKind kind) {
    return new Lossy(slot, nodes.connect(slot, kind));
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    return nodes.connectTo(node);
  }

  @Override
  public RedisServer serverOf(int slot) {
    return nodes.serverOf(slot);
  }

  @Override
  public String shardOf(int slot) {
    return nodes.shardOf(slot);
  }

  @Override
  public void refresh() {
    nodes.refresh();
  }

  @Override
  public void dropIdle(int slot) {}

  @Override
  public void close() {
    nodes.close();
  }

  private @Nullable Object answered(int slot, CommandArguments arguments, @Nullable Object answer) {
    if (arguments.getCommand() != Command.EVALSHA && arguments.getCommand() != Command.EVAL) {
      return answer;
    }
    if (isNumbered(arguments)) {
      sent.addLast(new Sent(slot, arguments, answer));
      if (sent.size() > REMEMBERED) {
        sent.removeFirst();
      }
    }
    if (answersUntilLoss > 0 && --answersUntilLoss == 0) {
      lost = true;
      throw new JedisConnectionException("the answer got lost, as the test wants it");
    }
    return answer;
  }

  private static boolean isNumbered(CommandArguments arguments) {
    for (Rawable argument : arguments) {
      if (new String(argument.getRaw(), StandardCharsets.UTF_8).contains("}:lane:")) {
        return true;
      }
    }
    return false;
  }

  private final class Lossy extends Connection {
    private final int slot;
    private final Connection connection;

    Lossy(int slot, Connection connection) {
      super(new HostAndPort("localhost", 1));
      this.slot = slot;
      this.connection = connection;
    }

    @Override
    public @Nullable Object executeCommand(CommandArguments arguments) {
      return answered(slot, arguments, connection.executeCommand(arguments));
    }

    @Override
    public boolean ping() {
      return connection.ping();
    }

    @Override
    public void setBroken() {
      connection.setBroken();
    }

    @Override
    public void close() {
      connection.close();
    }
  }
}
