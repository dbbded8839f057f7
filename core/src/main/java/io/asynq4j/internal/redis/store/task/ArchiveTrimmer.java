package io.asynq4j.internal.redis.store.task;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;

/** Keeps archives within their limits, in steps that do not block Redis for long. */
public final class ArchiveTrimmer {

  private ArchiveTrimmer() {}

  /** Adds the limits of an archive to the arguments of a script that archives tasks. */
  public static CommandArgs addLimits(CommandArgs args, ArchiveRules rules) {
    return args.add(rules.maxSize()).add(rules.maxAge().toSeconds()).add(rules.releaseLocks());
  }

  static int trim(ScriptRunner scripts, QueueName queue, int limit, ArchiveRules rules) {
    CommandArgs args =
        new CommandArgs(3).add(rules.maxSize()).add(rules.maxAge().toSeconds()).add(limit);
    return scripts.runInt(Script.TRIM, queue, args);
  }

  /** Removes all tasks beyond the limits. Returns their number. */
  public static int trimAll(ScriptRunner scripts, QueueName queue, ArchiveRules rules) {
    int gone = 0;
    int step;
    do {
      step = trim(scripts, queue, BatchSplitter.MAX, rules);
      gone += step;
    } while (step == BatchSplitter.MAX);
    return gone;
  }

  /**
   * Continues the trimming that a script started after it archived {@code archived} tasks. If the
   * script removed more tasks than it added, more may remain to be removed. Returns the total
   * number of removed tasks.
   */
  public static int trimOn(
      ScriptRunner scripts, QueueName queue, int archived, int trimmed, ArchiveRules rules) {
    return trimmed > archived ? trimAll(scripts, queue, rules) : 0;
  }
}
