package io.asynq4j.redis;

import io.asynq4j.QueueName;
import io.asynq4j.broker.ArchiveRules;

/** Keeps archives within their rules, in steps that do not keep Redis for long. */
final class Archive {

  private final Scripts scripts;

  Archive(Scripts scripts) {
    this.scripts = scripts;
  }

  int trim(QueueName queue, int limit, ArchiveRules rules) {
    Args args = new Args(3).add(rules.maxSize()).add(rules.maxAge().toSeconds()).add(limit);
    return Reply.integer(scripts.run(Script.TRIM, queue, args));
  }

  /**
   * Goes on where a script that archived so many tasks has begun to trim: if more went than came,
   * there may be still more to go. Returns how many have.
   */
  int trimOn(QueueName queue, int archived, int trimmed, ArchiveRules rules) {
    int gone = 0;
    boolean more = trimmed > archived;
    while (more) {
      int step = trim(queue, Batches.MAX, rules);
      gone += step;
      more = step == Batches.MAX;
    }
    return gone;
  }
}
