package io.asynq4j.redis;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Runs scripts by their hash, and in full where Redis does not know them or must not be asked by
 * hash. Thread-safe.
 */
final class Scripts {

  private static final Logger log = LoggerFactory.getLogger(Scripts.class);

  private final Link link;
  private final BrokerTime time;
  private final Lanes lanes = new Lanes();
  private final Map<QueueName, QueueKeys> keysOfQueues = new ConcurrentHashMap<>();
  private final AtomicBoolean byHash = new AtomicBoolean(true);

  Scripts(Link link, BrokerTime time) {
    this.link = link;
    this.time = time;
  }

  /**
   * Runs a script on a queue. The caller gives the arguments that are its own; the time, the prefix
   * of the queue and the number of the call are put in where the script wants them.
   */
  @Nullable Object run(Script script, QueueName queue, Args given) {
    return run(script, queue, given, null);
  }

  /** The same; what was written is confirmed, if there is somebody to do it. */
  @Nullable Object run(Script script, QueueName queue, Args given, @Nullable Confirmer confirmer) {
    if (script.repeat() != Repeat.NUMBERED) {
      QueueKeys keys = keysOf(queue);
      return run(script, keys.slot(), keys.of(script), fill(script, keys, "", given));
    }
    Lanes.Lane lane = lanes.take();
    try {
      return run(script, queue, new Numbered(lane.id(), lane.next()), given, confirmer);
    } finally {
      lanes.giveBack(lane);
    }
  }

  /** Runs a script that could be numbered without a number: it is never sent a second time. */
  @Nullable Object runOnce(
      Script script, QueueName queue, Args given, @Nullable Confirmer confirmer) {
    QueueKeys keys = keysOf(queue);
    return run(
        script,
        Repeat.NEVER,
        keys.slot(),
        keys.of(script),
        fill(script, keys, "", given),
        confirmer == null ? null : connection -> confirmer.confirm(connection, null));
  }

  /** A call by its lane and number, to be repeated under the same. */
  record Numbered(String lane, long number) {}

  /**
   * Runs a numbered script under a number that the caller keeps, so that it can ask again later.
   */
  @Nullable Object run(Script script, QueueName queue, Numbered call, Args given) {
    return run(script, queue, call, given, null);
  }

  private @Nullable Object run(
      Script script, QueueName queue, Numbered call, Args given, @Nullable Confirmer confirmer) {
    QueueKeys keys = keysOf(queue);
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
  @Nullable Object run(Script script, String[] keys, Args given) {
    byte[][] names = new byte[keys.length][];
    for (int i = 0; i < keys.length; i++) {
      names[i] = keys[i].getBytes(StandardCharsets.UTF_8);
    }
    Args args = new Args();
    if (script.args().contains("now")) {
      args.add(time.forScripts());
    }
    given.values().forEach(args::add);
    return run(script, Keys.slot(keys[0]), names, args);
  }

  Lanes lanes() {
    return lanes;
  }

  private QueueKeys keysOf(QueueName queue) {
    QueueKeys keys = keysOfQueues.get(queue);
    return keys != null ? keys : keysOfQueues.computeIfAbsent(queue, QueueKeys::new);
  }

  // A test holds every script to it that these come first, in this order.
  private Args fill(Script script, QueueKeys keys, String number, Args given) {
    Args args = new Args(given.size() + 4);
    if (script.args().contains("now")) {
      args.add(time.forScripts());
    }
    args.add(keys.prefix());
    if (script.repeat() == Repeat.NUMBERED) {
      args.add(number).add(Lanes.KEEP.toSeconds());
    }
    given.values().forEach(args::add);
    return args;
  }

  private @Nullable Object run(Script script, int slot, byte[][] keys, Args args) {
    return run(script, script.repeat(), slot, keys, args, null);
  }

  private @Nullable Object run(
      Script script,
      Repeat repeat,
      int slot,
      byte[][] keys,
      Args args,
      Link.@Nullable Epilogue epilogue) {
    boolean inDoubt = false;
    if (byHash.get()) {
      try {
        return link.call(
            slot,
            repeat,
            script.lines(),
            Protocol.Command.EVALSHA,
            command(script.sha(), keys, args),
            epilogue);
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
          epilogue);
    } catch (BrokerException e) {
      throw inDoubt ? Link.inDoubt(e) : e;
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
            "this Redis user must not run EVALSHA, so every script is sent in full, which costs bandwidth;"
                + " allow it with +evalsha");
      }
      return true;
    }
    return false;
  }

  private static Args command(byte[] script, byte[][] keys, Args args) {
    Args command = new Args(2 + keys.length + args.size());
    command.add(script).add(keys.length);
    for (byte[] key : keys) {
      command.add(key);
    }
    args.values().forEach(command::add);
    return command;
  }
}
