package io.asynq4j.internal.redis.store.task;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.codec.FailuresField;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.time.WholeSeconds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settles attempts: groups settlements by script and sends each group in as few calls as possible.
 */
record SettleScripts(ScriptRunner scripts, BrokerTime time) {

  /** For tasks archived without known archive limits: no other task is deleted for them. */
  private static final ArchiveRules KEEP_ALL =
      new ArchiveRules(Integer.MAX_VALUE, Duration.ofDays(36_500), /* releaseLocks= */ false);

  /** Number of values per task in the short form: those of its lease. */
  private static final int SHORT = 3;

  private static final int LONG = 8;

  List<SettleResult> settle(
      QueueName queue,
      List<? extends Settlement> settlements,
      QueueRules rules,
      ArchiveRules archive) {
    Map<Script, List<Integer>> lots = new EnumMap<>(Script.class);
    for (int i = 0; i < settlements.size(); i++) {
      lots.computeIfAbsent(scriptOf(settlements.get(i)), script -> new ArrayList<>()).add(i);
    }
    @Nullable SettleResult[] answers = new SettleResult[settlements.size()];
    lots.forEach(
        (script, places) -> {
          List<? extends Settlement> lot = places.stream().map(settlements::get).toList();
          boolean leaveNothing = lot.stream().allMatch(Settlement::leavesNothing);
          int most = lot.stream().mapToInt(Settlement::mostInACall).min().orElseThrow();
          if (script == Script.REQUEUE) {
            // The task that is requeued last runs next, so the reverse order preserves their order.
            Collections.reverse(places);
          }
          for (List<Integer> batch :
              BatchSplitter.of(
                  places, most, Settlement.MOST_BYTES, place -> settlements.get(place).size())) {
            CommandArgs args = head(script, rules, archive, leaveNothing);
            batch.forEach(place -> encode(args, settlements.get(place), leaveNothing));
            List<@Nullable Object> replies = scripts.runList(script, queue, args);
            for (int i = 0; i < batch.size(); i++) {
              answers[batch.get(i)] = result(replies.get(i));
            }
            if (script == Script.ARCHIVE) {
              int trimmed = ReplyParser.integer(replies.get(batch.size()));
              ArchiveTrimmer.trimOn(scripts, queue, batch.size(), trimmed, archive);
            }
          }
        });
    return Arrays.asList(answers);
  }

  /** Completes tasks without retention. Only the proof of the lease is needed for them. */
  List<SettleResult> finish(QueueName queue, List<LeaseOperations.LeaseRef> leases) {
    List<SettleResult> answers = new ArrayList<>(leases.size());
    for (List<LeaseOperations.LeaseRef> batch :
        BatchSplitter.of(leases, Settlement.MOST_THAT_LEAVE_NOTHING)) {
      CommandArgs args = new CommandArgs(1 + batch.size() * SHORT).add(SHORT);
      for (LeaseOperations.LeaseRef lease : batch) {
        args.add(lease.id()).add(LeaseToken.orNone(lease.token())).addEmpty();
      }
      for (Object reply : scripts.runList(Script.COMPLETE, queue, args)) {
        answers.add(result(reply));
      }
    }
    return answers;
  }

  private static SettleResult result(@Nullable Object reply) {
    return ReplyParser.number(reply) == 1 ? SettleResult.APPLIED : SettleResult.LEASE_LOST;
  }

  void quarantine(QueueName queue, String id, String token, String reason) {
    CommandArgs args = head(Script.ARCHIVE, QueueRules.NONE, KEEP_ALL, /* leaveNothing= */ false);
    scripts.run(
        Script.ARCHIVE,
        queue,
        args.add(id)
            .add(token)
            .addEmpty()
            .addEmpty()
            .add(MessageCodec.errorText(reason))
            .addEmpty());
  }

  private static Script scriptOf(Settlement settlement) {
    if (settlement instanceof Settlement.Complete || settlement instanceof Settlement.Drop) {
      return Script.COMPLETE;
    } else if (settlement instanceof Settlement.Retry) {
      return Script.RETRY;
    } else if (settlement instanceof Settlement.Archive
        || settlement instanceof Settlement.Quarantine) {
      return Script.ARCHIVE;
    } else if (settlement instanceof Settlement.Reschedule) {
      return Script.RESCHEDULE;
    } else {
      return Script.REQUEUE;
    }
  }

  private static CommandArgs head(
      Script script, QueueRules rules, ArchiveRules archive, boolean leaveNothing) {
    CommandArgs args = new CommandArgs();
    if (script == Script.COMPLETE) {
      args.add(leaveNothing ? SHORT : LONG);
    } else if (script == Script.RETRY || script == Script.RESCHEDULE) {
      args.add(rules.ordered());
    } else if (script == Script.ARCHIVE) {
      ArchiveTrimmer.addLimits(args, archive);
    }
    return args;
  }

  private static byte[] report(Instant now, String error, @Nullable String trace) {
    return trace == null ? new byte[0] : FailuresField.encode(new FailedAttempt(now, error, trace));
  }

  /** Sends nothing if one settlement cannot be encoded, since a retry would fail the same way. */
  private void encode(CommandArgs args, Settlement settlement, boolean leaveNothing) {
    try {
      add(args, settlement, leaveNothing);
    } catch (RuntimeException e) {
      throw new BrokerRefusedException(
          "the settlement of task %s of queue %s cannot be encoded: %s"
              .formatted(settlement.claim().id(), settlement.claim().queue(), e),
          /* mayHaveBeenApplied= */ false,
          e,
          BrokerRefusedException.Reason.REQUEST);
    }
  }

  private void add(CommandArgs args, Settlement settlement, boolean leaveNothing) {
    Claim claim = settlement.claim();
    TaskMessage message = claim.message();
    Instant now = time.clock().instant();
    args.add(claim.id()).add(claim.token());
    if (scriptOf(settlement) == Script.COMPLETE) {
      args.add(claim.leasedUntil().getEpochSecond());
    }
    if (leaveNothing) {
      return;
    }
    if (settlement instanceof Settlement.Complete complete) {
      long retention = WholeSeconds.ceil(message.retention());
      // Without retention the record is deleted, so there is no message to write.
      byte[] completed =
          retention == 0
              ? new byte[0]
              : MessageCodec.encode(message.completed(now, complete.note()));
      args.add(completed)
          .add(message.uniqueKey())
          .add(retention)
          .add(complete.result().isPresent())
          .add(complete.result().bytes());
    } else if (settlement instanceof Settlement.Drop) {
      args.addEmpty().add(message.uniqueKey()).add(0).add(false).addEmpty();
    } else if (settlement instanceof Settlement.Retry retry) {
      args.add(MessageCodec.encode(message.failed(retry.error(), now, retry.failure())))
          .add(retry.delay().toMillis())
          .add(retry.precise())
          .add(retry.failure())
          .add(report(now, retry.error(), retry.trace()));
    } else if (settlement instanceof Settlement.Archive archived) {
      args.add(MessageCodec.encode(message.failed(archived.error(), now, /* costsRetry= */ false)))
          .add(message.uniqueKey())
          .addEmpty()
          .add(report(now, archived.error(), archived.trace()));
    } else if (settlement instanceof Settlement.Quarantine quarantine) {
      args.addEmpty()
          .add(message.uniqueKey())
          .add(MessageCodec.errorText(quarantine.reason()))
          .addEmpty();
    } else if (settlement instanceof Settlement.Reschedule reschedule) {
      args.add(reschedule.delay().toMillis()).add(reschedule.precise());
    }
  }
}
