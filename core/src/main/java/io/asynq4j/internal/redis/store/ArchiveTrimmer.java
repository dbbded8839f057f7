package io.asynq4j.internal.redis.store;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;

/** Keeps archives within their rules, in steps that do not keep Redis for long. */
final class ArchiveTrimmer {

  private final ScriptRunner scripts;

  ArchiveTrimmer(ScriptRunner scripts) {
    this.scripts = scripts;
  }

  int trim(QueueName queue, int limit, ArchiveRules rules) {
    CommandArgs args =
        new CommandArgs(3).add(rules.maxSize()).add(rules.maxAge().toSeconds()).add(limit);
    return ReplyParser.integer(scripts.run(Script.TRIM, queue, args));
  }

  /**
   * Goes on where a script that archived so many tasks has begun to trim: if more went than came,
   * there may be still more to go. Returns how many have.
   */
  int trimOn(QueueName queue, int archived, int trimmed, ArchiveRules rules) {
    int gone = 0;
    boolean more = trimmed > archived;
    while (more) {
      int step = trim(queue, BatchSplitter.MAX, rules);
      gone += step;
      more = step == BatchSplitter.MAX;
    }
    return gone;
  }
}
