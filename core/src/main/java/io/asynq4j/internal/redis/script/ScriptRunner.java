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
import io.asynq4j.internal.redis.connection.RedisFailureTranslator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
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
  private final AtomicBoolean byHash;

  public ScriptRunner(RedisCommandExecutor link, BrokerTime time) {
    this.link = link;
    this.time = time;
    this.byHash = new AtomicBoolean(time.scriptPrefix().isEmpty());
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
    if (script.repeat != ResendPolicy.NUMBERED) {
      return run(script, queue, null, given, confirmer);
    }
    IdempotencyLanes.Lane lane = lanes.take();
    try {
      return run(script, queue, new Numbered(lane.id(), lane.next()), given, confirmer);
    } finally {
      lanes.giveBack(lane);
    }
  }

  /** A call identified by lane and number, so that it can be repeated. */
  public record Numbered(String lane, long number) {}

  /**
   * Runs a script under a number that the caller keeps, so that it can repeat the call later. A
   * numbered script without a number is never sent a second time.
   */
  public @Nullable Object run(
      Script script,
      QueueName queue,
      @Nullable Numbered call,
      CommandArgs given,
      @Nullable DurabilityConfirmer confirmer) {
    QueueScriptKeys keys = keysOf(queue);
    byte[] lane = call == null ? null : keys.lane(call.lane());
    ResendPolicy repeat = script.repeat;
    // ScriptContractTest verifies that these come first, in this order.
    CommandArgs args = new CommandArgs(given.size() + 4);
    addTime(script, args);
    args.add(keys.prefix);
    if (repeat == ResendPolicy.NUMBERED) {
      args.add(call == null ? "" : Long.toString(call.number()));
      args.add(IdempotencyLanes.KEEP.toSeconds());
      repeat = call == null ? ResendPolicy.NEVER : repeat;
    }
    given.values().forEach(args::add);
    return run(
        script,
        repeat,
        keys.slot,
        keys.of(script, lane),
        args,
        confirmer == null ? null : connection -> confirmer.confirm(connection, lane));
  }

  /** Runs a script on keys that belong to no queue. */
  public @Nullable Object run(Script script, String[] keys, CommandArgs given) {
    byte[][] names =
        Stream.of(keys).map(key -> key.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    CommandArgs args = new CommandArgs();
    addTime(script, args);
    given.values().forEach(args::add);
    return run(script, script.repeat, RedisKeys.slot(keys[0]), names, args, null);
  }

  private void addTime(Script script, CommandArgs args) {
    if (script.args().contains("now")) {
      args.add(time.forScripts());
    }
  }

  public IdempotencyLanes lanes() {
    return lanes;
  }

  private QueueScriptKeys keysOf(QueueName queue) {
    QueueScriptKeys keys = keysOfQueues.get(queue);
    return keys != null ? keys : keysOfQueues.computeIfAbsent(queue, QueueScriptKeys::new);
  }

  private @Nullable Object run(
      Script script,
      ResendPolicy repeat,
      int slot,
      byte[][] keys,
      CommandArgs args,
      @Nullable Consumer<Connection> afterReply) {
    Function<CommandArguments, @Nullable Object> send =
        command -> {
          command.add(keys.length).addObjects((Object[]) keys);
          args.values().forEach(command::add);
          return link.call(slot, repeat, script.pool(), command, afterReply);
        };
    boolean inDoubt = false;
    if (byHash.get()) {
      try {
        return send.apply(new CommandArguments(Command.EVALSHA).add(script.sha()));
      } catch (BrokerRefusedException e) {
        if (!mustBeSentInFull(e)) {
          throw e;
        }
        inDoubt = e.mayHaveBeenApplied();
      }
    }
    try {
      return send.apply(new CommandArguments(Command.EVAL).add(source(script)));
    } catch (BrokerException e) {
      throw inDoubt ? RedisFailureTranslator.inDoubt(e) : e;
    }
  }

  private byte[] source(Script script) {
    String prefix = time.scriptPrefix();
    return prefix.isEmpty()
        ? script.source()
        : (prefix + new String(script.source(), StandardCharsets.UTF_8))
            .getBytes(StandardCharsets.UTF_8);
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
}
