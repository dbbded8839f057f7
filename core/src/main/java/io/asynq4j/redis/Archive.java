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
   * Goes on where a script that archived something has begun to trim: if it found much, there may
   * be more.
   */
  void trimOn(QueueName queue, int trimmed, ArchiveRules rules) {
    int last = trimmed;
    while (last >= 100) {
      last = trim(queue, Batches.MAX, rules);
    }
  }
}
