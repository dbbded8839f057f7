package io.asynq4j.internal.redis.store.task;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.AfterCancel;
import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.ClaimBatch.QueueCondition;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.codec.ProgressField;
import io.asynq4j.internal.redis.codec.RateField;
import io.asynq4j.internal.redis.codec.TaskRow;
import io.asynq4j.internal.redis.codec.UnreadableMessageException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.IdempotencyLanes;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.RedisFailureTranslator;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.time.WholeSeconds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims, extends and settles tasks, many per call. */
public final class RedisLeaseOperations implements LeaseOperations {

  /** Twice the usual limit, since a claim costs the least per task. */
  private static final int MOST_CLAIMED = 2 * BatchSplitter.MAX;

  /** Maximum bytes of results per call, unless one is larger: large calls block Redis for long. */
  private static final long MAX_BYTES = 1 << 20;

  private static final Logger log = LoggerFactory.getLogger(RedisLeaseOperations.class);

  private final ScriptRunner scripts;
  private final BrokerTime time;
  private final SettleScripts settler;
  private final Map<QueueName, Queue<UnansweredClaim>> unanswered = new ConcurrentHashMap<>();

  public RedisLeaseOperations(ScriptRunner scripts, BrokerTime time) {
    this.scripts = scripts;
    this.time = time;
    this.settler = new SettleScripts(scripts, time);
  }

  /**
   * A claim that Redis may have granted although its reply was lost. It is repeated before a new
   * claim is sent. It keeps its lane until then, since Redis stores only the last call of a lane.
   */
  private record UnansweredClaim(
      IdempotencyLanes.Lane lane, long number, String token, CommandArgs args, long sentNanos) {
    boolean isRemembered() {
      // Well before Redis forgets the call: the reply must also arrive in time.
      return System.nanoTime() - sentNanos < IdempotencyLanes.KEEP.toNanos() / 2;
    }
  }

  @Override
  public ClaimBatch claim(QueueName queue, int max, Duration lease, QueueRules rules) {
    requireAtLeast(1, max, "the number of tasks to claim");
    UnansweredClaim earlier = pollUnanswered(queue);
    if (earlier != null) {
      ClaimBatch granted = send(queue, earlier, /* inDoubt= */ true);
      if (!granted.claims().isEmpty()) {
        return atMost(max, queue, granted);
      }
    }
    String token = LeaseToken.next(time.clock().instant());
    CommandArgs args =
        new CommandArgs(8)
            .add(Math.min(max, MOST_CLAIMED))
            .add(WholeSeconds.ceil(lease))
            .add(token)
            .add(rules.maxActive())
            .add(rules.ordered());
    RateField.add(args, rules.rate());
    IdempotencyLanes.Lane lane = scripts.lanes().take();
    return send(
        queue,
        new UnansweredClaim(lane, lane.next(), token, args, System.nanoTime()),
        /* inDoubt= */ false);
  }

  /** Requeues the tasks that exceed {@code max}: the repeated claim may have been for more. */
  private ClaimBatch atMost(int max, QueueName queue, ClaimBatch granted) {
    if (granted.claims().size() <= max) {
      return granted;
    }
    List<Claim> tooMany = granted.claims().subList(max, granted.claims().size());
    try {
      settler.settle(
          queue,
          tooMany.stream().map(Settlement.Requeue::new).toList(),
          QueueRules.NONE,
          ArchiveRules.DEFAULT);
    } catch (BrokerException e) {
      log.warn(
          "{} tasks of queue {} could not be requeued; the recoverer requeues them when their leases expire",
          tooMany.size(),
          queue,
          e);
    }
    return new ClaimBatch(granted.claims().subList(0, max), QueueCondition.MORE, null);
  }

  private @Nullable UnansweredClaim pollUnanswered(QueueName queue) {
    Queue<UnansweredClaim> claims = unanswered.get(queue);
    UnansweredClaim earlier = claims == null ? null : claims.poll();
    if (earlier == null || earlier.isRemembered()) {
      return earlier;
    }
    scripts.lanes().giveBack(earlier.lane());
    return null;
  }

  /**
   * @param inDoubt whether an earlier send may have been granted: the result of the next send does
   *     not show that
   */
  private ClaimBatch send(QueueName queue, UnansweredClaim claim, boolean inDoubt) {
    ScriptRunner.Numbered call = new ScriptRunner.Numbered(claim.lane().id(), claim.number());
    List<@Nullable Object> reply;
    try {
      reply = ReplyParser.list(scripts.run(Script.CLAIM, queue, call, claim.args(), null));
    } catch (BrokerException e) {
      if (!inDoubt && !e.mayHaveBeenApplied()) {
        scripts.lanes().giveBack(claim.lane());
        throw e;
      }
      keep(queue, claim);
      throw RedisFailureTranslator.inDoubt(e);
    } catch (RuntimeException | Error e) {
      keep(queue, claim);
      throw e;
    }
    scripts.lanes().giveBack(claim.lane());
    return batch(queue, claim.token(), reply);
  }

  private void keep(QueueName queue, UnansweredClaim claim) {
    unanswered.computeIfAbsent(queue, any -> new ConcurrentLinkedQueue<>()).add(claim);
  }

  private ClaimBatch batch(QueueName queue, String token, List<@Nullable Object> reply) {
    String condition = ReplyParser.text(reply.get(0));
    QueueCondition rest =
        condition.equals("ok")
            ? QueueCondition.MORE
            : QueueCondition.valueOf(condition.toUpperCase(Locale.ROOT));
    // By the clock of the queue's server, which may differ from the clock that RedisClock follows.
    Instant heldUntil =
        rest == QueueCondition.HELD
            ? time.clock().instant().plusMillis(ReplyParser.number(reply.get(1)))
            : null;
    Instant leasedUntil = Instant.ofEpochSecond(ReplyParser.number(reply.get(2)));
    List<Claim> claims = new ArrayList<>();
    for (int i = 3; i < reply.size(); i += 3) {
      String id = ReplyParser.text(reply.get(i));
      try {
        claims.add(
            new Claim(
                MessageCodec.decode(ReplyParser.bytes(reply.get(i + 1)), queue, id),
                token,
                leasedUntil,
                TaskRow.ofNanos(ReplyParser.text(reply.get(i + 2)))));
      } catch (UnreadableMessageException e) {
        quarantine(queue, id, token, String.valueOf(e.getMessage()));
      }
    }
    return new ClaimBatch(claims, rest, heldUntil);
  }

  /** Archives a task that cannot be decoded, so that it is not claimed again and again. */
  private void quarantine(QueueName queue, String id, String token, String reason) {
    try {
      settler.quarantine(queue, id, token, reason);
      log.error(
          "task {} of queue {} cannot be read and was archived: {}",
          LogText.name(id),
          queue,
          LogText.name(reason));
    } catch (BrokerException e) {
      log.error(
          "task {} of queue {} cannot be read ({}) and could not be archived; the recoverer archives it when its lease expires",
          LogText.name(id),
          queue,
          LogText.name(reason),
          e);
    }
  }

  @Override
  public List<@Nullable Instant> extend(QueueName queue, List<Claim> claims, Duration lease) {
    List<@Nullable Instant> expiries = new ArrayList<>(claims.size());
    for (List<Claim> batch : BatchSplitter.of(claims)) {
      CommandArgs args = new CommandArgs(1 + batch.size() * 2).add(WholeSeconds.ceil(lease));
      batch.forEach(claim -> args.add(claim.id()).add(claim.token()));
      List<@Nullable Object> reply = scripts.runList(Script.EXTEND, queue, args);
      Instant expiry = Instant.ofEpochSecond(ReplyParser.number(reply.get(0)));
      for (int i = 1; i < reply.size(); i++) {
        expiries.add(ReplyParser.number(reply.get(i)) == 1 ? expiry : null);
      }
    }
    return expiries;
  }

  @Override
  public Optional<Instant> claimedAt(Claim claim) {
    return LeaseToken.timeOf(claim.token());
  }

  @Override
  public List<Optional<Restored>> restore(QueueName queue, List<LeaseRef> leases) {
    List<Optional<Restored>> restored = new ArrayList<>(leases.size());
    for (List<LeaseRef> batch : BatchSplitter.of(leases)) {
      CommandArgs args = new CommandArgs(batch.size() * 2);
      batch.forEach(lease -> args.add(lease.id()).add(LeaseToken.orNone(lease.token())));
      List<@Nullable Object> reply = scripts.runList(Script.RESTORE, queue, args);
      for (int i = 0; i < batch.size(); i++) {
        restored.add(restored(queue, batch.get(i), reply.subList(3 * i, 3 * i + 3)));
      }
    }
    return restored;
  }

  private static Optional<Restored> restored(
      QueueName queue, LeaseRef lease, List<@Nullable Object> reply) {
    String score = ReplyParser.text(reply.get(0));
    if (score.isEmpty()) {
      return Optional.empty();
    }
    try {
      TaskMessage message = MessageCodec.decode(ReplyParser.bytes(reply.get(1)), queue, lease.id());
      Instant leasedUntil = ReplyParser.second(score);
      String after = ReplyParser.text(reply.get(2));
      return Optional.of(
          new Restored(
              new Claim(message, lease.token(), leasedUntil),
              after.isEmpty() ? null : AfterCancel.valueOf(after.toUpperCase(Locale.ROOT))));
    } catch (UnreadableMessageException e) {
      return Optional.empty();
    }
  }

  @Override
  public List<SettleResult> settle(
      QueueName queue,
      List<? extends Settlement> settlements,
      QueueRules rules,
      ArchiveRules archive) {
    return settler.settle(queue, settlements, rules, archive);
  }

  @Override
  public List<SettleResult> finish(QueueName queue, List<LeaseRef> leases) {
    return settler.finish(queue, leases);
  }

  @Override
  public List<Boolean> write(QueueName queue, List<? extends Report> reports) {
    List<Boolean> written = new ArrayList<>(reports.size());
    for (List<? extends Report> batch :
        BatchSplitter.of(
            reports, BatchSplitter.MAX, MAX_BYTES, RedisLeaseOperations::sizeOfResult)) {
      CommandArgs args = new CommandArgs(batch.size() * 4);
      batch.forEach(report -> add(args, report));
      for (Object reply : scripts.runList(Script.WRITE_RESULT, queue, args)) {
        written.add(ReplyParser.number(reply) == 1);
      }
    }
    return written;
  }

  private static long sizeOfResult(Report report) {
    return report instanceof Result result ? result.payload().size() : 0;
  }

  private static void add(CommandArgs args, Report report) {
    args.add(report.claim().id()).add(report.claim().token());
    if (report instanceof Result result) {
      args.add("result").add(result.payload().bytes());
    } else {
      args.add(ProgressField.NAME).add(ProgressField.text(((Step) report).progress()));
    }
  }
}
