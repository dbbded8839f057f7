package io.asynq4j.internal.redis.watch;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * Finds the queues that have entries in given parts. One command covers many queues; only if some
 * of them have entries, smaller groups are queried. Immutable.
 */
final class NonEmptyQueueQuery {

  /** Limit per command. More keys gain little and block Redis for other clients longer. */
  private static final int MOST_KEYS = 200;

  /** Number of queues per command after a command for 200 keys has found entries. */
  private static final int FEWER = 14;

  /** Sends commands to one server. Error replies are part of the result. */
  interface Asker {
    List<@Nullable Object> ask(List<CommandArguments> commands);
  }

  /** The queues that have entries, and the queues without a reply. */
  record Result(Set<QueueName> having, List<QueueName> unanswered) {}

  private final Set<QueuePart> parts;

  NonEmptyQueueQuery(Set<QueuePart> parts) {
    this.parts = parts;
  }

  Set<QueuePart> parts() {
    return parts;
  }

  /** Sends one command per queue, since keys of different queues may be in different slots. */
  Result eachOf(Collection<QueueName> queues, Asker asker) {
    return among(queues, 1, asker);
  }

  /** Sends few commands for all queues. Requires that one server has all of them. */
  Result allOf(Collection<QueueName> queues, Asker asker) {
    return among(queues, Math.max(1, MOST_KEYS / Math.max(1, parts.size())), asker);
  }

  private Result among(Collection<QueueName> queues, int perCommand, Asker asker) {
    Result findings = new Result(new HashSet<>(), new ArrayList<>());
    if (parts.isEmpty()) {
      return findings;
    }
    int most = perCommand;
    List<List<QueueName>> open = new ArrayList<>();
    split(List.copyOf(queues), most, open);
    while (!open.isEmpty()) {
      List<@Nullable Object> answers = asker.ask(open.stream().map(this::exists).toList());
      most = most > FEWER ? FEWER : 1;
      List<List<QueueName>> narrowed = new ArrayList<>();
      for (int i = 0; i < open.size(); i++) {
        List<QueueName> asked = open.get(i);
        if (!(answers.get(i) instanceof Long count)) {
          if (asked.size() == 1) {
            findings.unanswered().addAll(asked);
          } else {
            // Redis refuses the whole command if a single key in it is forbidden.
            split(asked, most, narrowed);
          }
        } else if (count > 0
            && (asked.size() == 1 || count == (long) asked.size() * parts.size())) {
          findings.having().addAll(asked);
        } else if (count > 0) {
          split(asked, most, narrowed);
        }
      }
      open = narrowed;
    }
    return findings;
  }

  private static void split(List<QueueName> queues, int most, List<List<QueueName>> into) {
    for (int from = 0; from < queues.size(); from += most) {
      into.add(queues.subList(from, Math.min(from + most, queues.size())));
    }
  }

  private CommandArguments exists(List<QueueName> queues) {
    CommandArguments command = new CommandArguments(Command.EXISTS);
    for (QueueName queue : queues) {
      for (QueuePart part : parts) {
        command.add(RedisKeys.of(queue, part));
      }
    }
    return command;
  }

  /** Returns the keys of one queue, for a separate command. */
  CommandArgs keysOf(QueueName queue) {
    CommandArgs args = new CommandArgs(parts.size());
    parts.forEach(part -> args.add(RedisKeys.of(queue, part)));
    return args;
  }
}
