package io.asynq4j.internal.redis.watch;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * Finds the queues that have entries in given parts. One command covers many queues; only if some
 * of them have entries, smaller groups are queried. Immutable.
 */
record NonEmptyQueueQuery(Set<QueuePart> parts) {

  /** Limit per command. More keys gain little and block Redis for other clients longer. */
  private static final int MOST_KEYS = 200;

  /** Number of queues per command after a command for 200 keys has found entries. */
  private static final int FEWER = 14;

  /** The queues that have entries, and the queues without a reply. */
  record Result(Set<QueueName> having, List<QueueName> unanswered) {}

  /**
   * Queries the queues, with few commands if one server has all slots, and otherwise with one
   * command per queue, since keys of different queues may be in different slots.
   *
   * @param server receives commands. Error replies are part of its result
   */
  Result among(
      Collection<QueueName> queues,
      boolean sharded,
      Function<List<CommandArguments>, List<@Nullable Object>> server) {
    Result findings = new Result(new HashSet<>(), new ArrayList<>());
    if (parts.isEmpty()) {
      return findings;
    }
    int most = sharded ? 1 : Math.max(1, MOST_KEYS / parts.size());
    List<List<QueueName>> open = BatchSplitter.of(List.copyOf(queues), most);
    while (!open.isEmpty()) {
      List<@Nullable Object> answers = server.apply(open.stream().map(this::exists).toList());
      most = most > FEWER ? FEWER : 1;
      List<List<QueueName>> narrowed = new ArrayList<>();
      for (int i = 0; i < open.size(); i++) {
        List<QueueName> asked = open.get(i);
        Long count = answers.get(i) instanceof Long number ? number : null;
        if (count == null && asked.size() == 1) {
          findings.unanswered().addAll(asked);
        } else if (count != null
            && count > 0
            && (asked.size() == 1 || count == (long) asked.size() * parts.size())) {
          findings.having().addAll(asked);
        } else if (count == null || count > 0) {
          // Without an answer too: Redis refuses the whole command if one key in it is forbidden.
          narrowed.addAll(BatchSplitter.of(asked, most));
        }
      }
      open = narrowed;
    }
    return findings;
  }

  /** Returns the command that counts the parts of these queues. */
  CommandArguments exists(List<QueueName> queues) {
    CommandArguments command = new CommandArguments(Command.EXISTS);
    for (QueueName queue : queues) {
      for (QueuePart part : parts) {
        command.add(RedisKeys.of(queue, part));
      }
    }
    return command;
  }
}
