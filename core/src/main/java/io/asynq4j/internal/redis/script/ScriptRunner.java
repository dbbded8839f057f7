package io.asynq4j.internal.redis.script;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.IdempotencyLanes;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Runs scripts by their hash. Sends the full text if Redis does not know the hash or the user may
 * not run EVALSHA. Thread-safe.
 */
public final class ScriptRunner {

  private static final Logger log = LoggerFactory.getLogger(ScriptRunner.class);

  private final RedisCommandExecutor link;
  private final BrokerTime time;
  private final IdempotencyLanes lanes = new IdempotencyLanes();
  private final Map<QueueName, QueueScriptKeys> keysOfQueues = new ConcurrentHashMap<>();
  private final AtomicBoolean byHash = new AtomicBoolean(true);

  public ScriptRunner(RedisCommandExecutor link, BrokerTime time) {
    this.link = link;
    this.time = time;
  }

  /**
   * Runs a script on a queue. The caller passes the specific arguments; the time, the prefix of the
   * queue and the number of the call are inserted where the script expects them.
   */
  public @Nullable Object run(Script script, QueueName queue, CommandArgs given) {
    return run(script, queue, given, null);
  }

  /** Runs a script on a queue that returns a list. */
  public List<@Nullable Object> runList(Script script, QueueName queue, CommandArgs given) {
    return ReplyParser.list(run(script, queue, given));
  }

  /** Runs a script on a queue that returns a number. */
  public int runInt(Script script, QueueName queue, CommandArgs given) {
    return ReplyParser.integer(run(script, queue, given));
  }

  /** Runs a script on a queue and has the write confirmed if a confirmer is given. */
  public @Nullable Object run(
      Script script, QueueName queue, CommandArgs given, @Nullable DurabilityConfirmer confirmer) {
    if (script.repeat() != ResendPolicy.NUMBERED) {
      QueueScriptKeys keys = keysOf(queue);
      return run(script, keys.slot(), keys.of(script), fill(script, keys, "", given));
    }
    IdempotencyLanes.Lane lane = lanes.take();
    try {
      return run(script, queue, new Numbered(lane.id(), lane.next()), given, confirmer);
    } finally {
      lanes.giveBack(lane);
    }
  }

  /** Runs a numbered script without a number: it is never sent a second time. */
  public @Nullable Object runOnce(
      Script script, QueueName queue, CommandArgs given, @Nullable DurabilityConfirmer confirmer) {
    QueueScriptKeys keys = keysOf(queue);
    return run(
        script,
        ResendPolicy.NEVER,
        keys.slot(),
        keys.of(script),
        fill(script, keys, "", given),
        confirmer == null ? null : connection -> confirmer.confirm(connection, null));
  }

  /** A call identified by lane and number, so that it can be repeated. */
  public record Numbered(String lane, long number) {}

  /**
   * Runs a numbered script under a number that the caller keeps, so that it can repeat the call
   * later.
   */
  public @Nullable Object run(Script script, QueueName queue, Numbered call, CommandArgs given) {
    return run(script, queue, call, given, null);
  }

  private @Nullable Object run(
      Script script,
      QueueName queue,
      Numbered call,
      CommandArgs given,
      @Nullable DurabilityConfirmer confirmer) {
    QueueScriptKeys keys = keysOf(queue);
    byte[] lane = keys.lane(call.lane());
    return run(
        script,
        script.repeat(),
        keys.slot(),
        keys.of(script, lane),
        fill(script, keys, Long.toString(call.number()), given),
        confirmer == null ? null : connection -> confirmer.confirm(connection, lane));
  }

  /** Runs a script on keys that belong to no queue. */
  public @Nullable Object run(Script script, String[] keys, CommandArgs given) {
    byte[][] names = new byte[keys.length][];
    for (int i = 0; i < keys.length; i++) {
      names[i] = keys[i].getBytes(StandardCharsets.UTF_8);
    }
    CommandArgs args = new CommandArgs();
    if (script.args().contains("now")) {
      args.add(time.forScripts());
    }
    given.values().forEach(args::add);
    return run(script, RedisKeys.slot(keys[0]), names, args);
  }

  public IdempotencyLanes lanes() {
    return lanes;
  }

  private QueueScriptKeys keysOf(QueueName queue) {
    QueueScriptKeys keys = keysOfQueues.get(queue);
    return keys != null ? keys : keysOfQueues.computeIfAbsent(queue, QueueScriptKeys::new);
  }

  // ScriptContractTest verifies that these come first, in this order.
  private CommandArgs fill(Script script, QueueScriptKeys keys, String number, CommandArgs given) {
    CommandArgs args = new CommandArgs(given.size() + 4);
    if (script.args().contains("now")) {
      args.add(time.forScripts());
    }
    args.add(keys.prefix());
    if (script.repeat() == ResendPolicy.NUMBERED) {
      args.add(number).add(IdempotencyLanes.KEEP.toSeconds());
    }
    given.values().forEach(args::add);
    return args;
  }

  private @Nullable Object run(Script script, int slot, byte[][] keys, CommandArgs args) {
    return run(script, script.repeat(), slot, keys, args, null);
  }

  private @Nullable Object run(
      Script script,
      ResendPolicy repeat,
      int slot,
      byte[][] keys,
      CommandArgs args,
      @Nullable Consumer<Connection> afterReply) {
    boolean inDoubt = false;
    if (byHash.get()) {
      try {
        return link.call(
            slot,
            repeat,
            script.lines(),
            Protocol.Command.EVALSHA,
            command(script.sha(), keys, args),
            afterReply);
      } catch (BrokerRefusedException e) {
        if (!mustBeSentInFull(e)) {
          throw e;
        }
        inDoubt = e.mayHaveBeenApplied();
      }
    }
    try {
      return link.call(
          slot,
          repeat,
          script.lines(),
          Protocol.Command.EVAL,
          command(script.source(), keys, args),
          afterReply);
    } catch (BrokerException e) {
      throw inDoubt ? RedisCommandExecutor.inDoubt(e) : e;
    }
  }

  private boolean mustBeSentInFull(BrokerRefusedException refusal) {
    if (refusal.getCause() instanceof JedisNoScriptException) {
      return true;
    }
    // The user may run EVAL, but not EVALSHA.
    String answer = String.valueOf(refusal.getMessage());
    if (answer.contains(" NOPERM ") && answer.contains("evalsha")) {
      if (byHash.compareAndSet(true, false)) {
        log.warn(
            "this Redis user may not run EVALSHA, so every script is sent in full, which costs bandwidth;"
                + " allow it with +evalsha");
      }
      return true;
    }
    return false;
  }

  private static CommandArgs command(byte[] script, byte[][] keys, CommandArgs args) {
    CommandArgs command = new CommandArgs(2 + keys.length + args.size());
    command.add(script).add(keys.length);
    for (byte[] key : keys) {
      command.add(key);
    }
    args.values().forEach(command::add);
    return command;
  }
}
