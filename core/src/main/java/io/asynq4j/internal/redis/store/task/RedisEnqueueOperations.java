package io.asynq4j.internal.redis.store.task;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Durability;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.EnqueueOperations;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.NewTask.Placement;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.DurabilityConfirmer;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.time.WholeSeconds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adds new tasks to Redis, many per call. */
public final class RedisEnqueueOperations implements EnqueueOperations {

  /** The key by which tasks are combined into one call. */
  private record BatchKey(QueueName queue, Script script) {}

  /**
   * Maximum load of a call: this many tasks, or half as many with a lock. Enqueueing is the
   * cheapest script operation, so the limit is higher than elsewhere.
   */
  private static final int MAX_LOAD = 100;

  /** Maximum payload bytes per call, except for the last task: large calls block Redis for long. */
  private static final long MAX_BYTES = 1 << 20;

  /** Number of values per task in the short form: ID and message. */
  private static final int SHORT = 2;

  private static final int LONG = 4;

  /** Number of failed queues of a server after which it counts as unavailable. */
  private static final int MAX_OUTAGES = 3;

  private static final Logger log = LoggerFactory.getLogger(RedisEnqueueOperations.class);

  private final RedisCommandExecutor link;
  private final BrokerTime time;
  private final ScriptRunner scripts;
  private final QueueRegistry registry;
  private final boolean numbered;
  private final Set<Durability> supported = ConcurrentHashMap.newKeySet();

  /** Shared by all clients of a connection, and so are its lanes. */
  private @Nullable RedisEnqueueOperations uninterrupted;

  public RedisEnqueueOperations(
      RedisCommandExecutor link,
      BrokerTime time,
      ScriptRunner scripts,
      QueueRegistry registry,
      boolean numbered) {
    this.link = link;
    this.time = time;
    this.scripts = scripts;
    this.registry = registry;
    this.numbered = numbered;
  }

  @Override
  public synchronized EnqueueOperations uninterrupted() {
    if (uninterrupted == null) {
      RedisCommandExecutor patient = link.uninterrupted();
      uninterrupted =
          new RedisEnqueueOperations(
              patient, time, new ScriptRunner(patient, time), registry, numbered);
    }
    return uninterrupted;
  }

  @Override
  public List<EnqueueReply> enqueue(List<NewTask> tasks) {
    @Nullable EnqueueReply[] answers = new EnqueueReply[tasks.size()];
    List<Call> calls = calls(tasks);
    for (int i = 0; i < calls.size(); i++) {
      encodeAhead(calls, i + 1);
      calls.get(i).into(answers, DurabilityRequirement.NONE);
    }
    return Arrays.asList(answers);
  }

  @Override
  public List<EnqueueReply> enqueueEach(List<NewTask> tasks, DurabilityRequirement confirmation) {
    @Nullable EnqueueReply[] answers = new EnqueueReply[tasks.size()];
    Map<QueueName, RuntimeException> outages = new HashMap<>();
    List<Call> calls = calls(tasks);
    for (int i = 0; i < calls.size(); i++) {
      encodeAhead(calls, i + 1);
      Call call = calls.get(i);
      EnqueueReply failure = outages.isEmpty() ? null : notSent(call, outages);
      try {
        if (failure == null) {
          call.into(answers, confirmation);
        }
      } catch (RuntimeException e) {
        failure = EnqueueReply.failed(e);
        if (e instanceof BrokerUnavailableException) {
          outages.put(call.batch.queue(), e);
        }
      }
      if (failure != null) {
        call.fail(answers, failure);
      }
    }
    return Arrays.asList(answers);
  }

  /**
   * Encodes the next calls ahead, so that each is ready when Redis has answered the previous one.
   */
  private static void encodeAhead(List<Call> calls, int next) {
    if (next < calls.size() && Runtime.getRuntime().availableProcessors() > 1) {
      try {
        // A failure is repeated when the call is sent.
        Future<CommandArgs> unused = ForkJoinPool.commonPool().submit(calls.get(next)::args);
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        log.debug(
            "no thread is available to encode tasks ahead; they are encoded when they are sent", e);
      }
    }
  }

  /**
   * Each call retries for seconds when Redis is unavailable, so the following calls to a failed
   * queue are not sent. Some calls to other queues are sent, since these may be on another node of
   * a cluster.
   */
  private @Nullable EnqueueReply notSent(Call call, Map<QueueName, RuntimeException> outages) {
    RuntimeException outage = outages.get(call.batch.queue());
    if (outage == null) {
      String shard = shardOf(call.batch.queue());
      List<QueueName> ofServer =
          outages.keySet().stream().filter(queue -> shardOf(queue).equals(shard)).toList();
      outage = ofServer.size() >= MAX_OUTAGES ? outages.get(ofServer.get(0)) : null;
    }
    return outage == null
        ? null
        : EnqueueReply.failed(
            new BrokerUnavailableException(
                "not sent because an earlier call failed: " + outage.getMessage(), false, outage));
  }

  private String shardOf(QueueName queue) {
    return link.shardOf(RedisKeys.slot(RedisKeys.prefix(queue)));
  }

  @Override
  public String lock(NewTask task) {
    return stored(task).uniqueKey();
  }

  /** Groups tasks by queue and kind, and splits the groups by number and size. */
  private List<Call> calls(List<NewTask> tasks) {
    if (tasks.size() == 1) {
      Call only = new Call(batchOf(tasks.get(0)));
      only.add(0, tasks.get(0));
      return List.of(only);
    }
    List<Call> calls = new ArrayList<>();
    Map<BatchKey, Call> open = new HashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      NewTask task = tasks.get(i);
      BatchKey batch = batchOf(task);
      Call call = open.get(batch);
      if (call == null || call.isFull()) {
        call = new Call(batch);
        open.put(batch, call);
        calls.add(call);
      }
      call.add(i, task);
    }
    return calls;
  }

  private static BatchKey batchOf(NewTask task) {
    return new BatchKey(task.message().queue(), script(task.placement()));
  }

  /** One script call, and the positions of its tasks in the request. */
  private final class Call {
    private final BatchKey batch;
    private final List<Integer> places = new ArrayList<>();
    private final List<NewTask> tasks = new ArrayList<>();
    private @Nullable CommandArgs args;
    private int load;
    private long bytes;

    Call(BatchKey batch) {
      this.batch = batch;
    }

    boolean isFull() {
      return load >= MAX_LOAD || bytes >= MAX_BYTES;
    }

    void add(int place, NewTask task) {
      places.add(place);
      tasks.add(task);
      load += task.uniqueFor() == null ? 1 : 2;
      bytes += task.message().payload().size();
    }

    private CommandArgs encode() {
      CommandArgs encoded = new CommandArgs(1 + tasks.size() * batch.script().items().size());
      boolean isShort = batch.script() == Script.ENQUEUE && arePlain();
      if (batch.script() == Script.ENQUEUE) {
        encoded.add(isShort ? SHORT : LONG);
      }
      for (NewTask task : tasks) {
        if (isShort) {
          encoded.add(task.message().id()).add(MessageCodec.encode(task.message()));
        } else {
          RedisEnqueueOperations.add(encoded, batch.script(), task);
        }
      }
      return encoded;
    }

    /** Returns whether no task has a lock and all IDs differ. */
    private boolean arePlain() {
      Set<String> ids = new HashSet<>();
      return tasks.stream()
          .allMatch(task -> task.uniqueFor() == null && ids.add(task.message().id()));
    }

    /** Returns the encoded tasks. Waits only for a thread that is encoding them already. */
    synchronized CommandArgs args() {
      if (args == null) {
        try {
          args = encode();
        } catch (Error e) {
          // Fails the tasks of this call only: those of earlier calls are already enqueued.
          throw new IllegalStateException("tasks could not be encoded", e);
        }
      }
      return args;
    }

    void fail(@Nullable EnqueueReply[] answers, EnqueueReply failure) {
      places.forEach(place -> answers[place] = failure);
    }

    void into(@Nullable EnqueueReply[] answers, DurabilityRequirement confirmation) {
      DurabilityConfirmer confirmer = confirmer(batch.queue(), confirmation);
      registry.register(batch.queue(), link);
      Object reply =
          numbered
              ? scripts.run(batch.script(), batch.queue(), args(), confirmer)
              : scripts.run(batch.script(), batch.queue(), null, args(), confirmer);
      RuntimeException shortfall = confirmer == null ? null : confirmer.shortfall();
      for (int i = 0; i < places.size(); i++) {
        EnqueueReply answer =
            reply instanceof Long ? EnqueueReply.ENQUEUED : answer(ReplyParser.list(reply).get(i));
        answers[places.get(i)] =
            shortfall != null && answer.equals(EnqueueReply.ENQUEUED)
                ? EnqueueReply.unconfirmed(shortfall)
                : answer;
      }
    }
  }

  /** Returns null if no confirmation is required. */
  private @Nullable DurabilityConfirmer confirmer(
      QueueName queue, DurabilityRequirement confirmation) {
    Durability durability = confirmation.durability();
    if (durability == Durability.PRIMARY) {
      return null;
    }
    if (!supported.contains(durability)) {
      DurabilityConfirmer.requireSupport(link, RedisKeys.slot(RedisKeys.prefix(queue)), durability);
      supported.add(durability);
    }
    return new DurabilityConfirmer(confirmation);
  }

  private static Script script(Placement placement) {
    if (placement instanceof Placement.Pending) {
      return Script.ENQUEUE;
    }
    return placement instanceof Placement.Grouped ? Script.GROUP : Script.SCHEDULE;
  }

  private static void add(CommandArgs args, Script script, NewTask task) {
    TaskMessage message = stored(task);
    args.add(message.id())
        .add(MessageCodec.encode(message))
        .add(message.uniqueKey())
        .add(ttl(task));
    if (script == Script.SCHEDULE) {
      addTime(args, task.placement());
    }
    if (script != Script.ENQUEUE) {
      args.add(message.group());
    }
  }

  private static void addTime(CommandArgs args, Placement placement) {
    if (placement instanceof Placement.At at) {
      args.add(at.when().toEpochMilli()).addEmpty().add(at.precise());
    } else if (placement instanceof Placement.After after) {
      args.addEmpty().add(after.delay().toMillis()).add(after.precise());
    } else {
      args.addEmpty().addEmpty().addEmpty();
    }
  }

  /** Adds a task to the arguments of a script that accepts tasks of any kind. */
  public static void add(CommandArgs args, NewTask task) {
    add(args, Script.SCHEDULE, task);
  }

  /** Returns the message, with the key of its lock if the task is unique. */
  public static TaskMessage stored(NewTask task) {
    TaskMessage message = task.message();
    return task.uniqueFor() == null
        ? message
        : message.withUniqueKey(
            RedisKeys.unique(message.queue(), message.type(), message.payload()));
  }

  public static long ttl(NewTask task) {
    return task.uniqueFor() == null ? 0 : WholeSeconds.ceil(task.uniqueFor());
  }

  public static EnqueueReply answer(@Nullable Object reply) {
    if (reply instanceof Long code) {
      return code == 1 ? EnqueueReply.ENQUEUED : EnqueueReply.ID_CONFLICT;
    }
    return EnqueueReply.duplicateOf(ReplyParser.text(reply));
  }
}
