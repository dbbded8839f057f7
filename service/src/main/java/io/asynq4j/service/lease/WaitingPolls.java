package io.asynq4j.service.lease;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.lease.LeasedTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The polls that wait for tasks, in the order of their arrival. A poll is removed when its answer
 * is being sent: a method that throws for lack of a thread leaves the poll in the list. Not
 * thread-safe.
 */
final class WaitingPolls {

  /** A worker that waits. */
  static final class Poll {
    private final List<String> queues;
    private final int max;
    private final Duration lease;

    /** By {@code System.nanoTime()}. */
    private final long expiresAt;

    /** Queues whose server has not answered, for a poll without a wait time; null for others. */
    private final @Nullable Set<String> unanswered;

    private final CompletableFuture<List<LeasedTask>> answer = new CompletableFuture<>();

    private Poll(
        List<String> queues,
        int max,
        Duration lease,
        Duration wait,
        @Nullable Set<String> unanswered) {
      this.queues = queues;
      this.max = max;
      this.lease = lease;
      this.expiresAt = System.nanoTime() + wait.toNanos();
      this.unanswered = unanswered;
    }

    /** Waits for a task of one of the queues. */
    static Poll forTasks(List<String> queues, int max, Duration lease, Duration wait) {
      return new Poll(queues, max, lease, wait, null);
    }

    /** Waits until the Redis servers of the queues have answered. */
    static Poll forReplies(Set<String> queues, int max, Duration lease, Duration wait) {
      return new Poll(List.copyOf(queues), max, lease, wait, new HashSet<>(queues));
    }

    int max() {
      return max;
    }

    Duration lease() {
      return lease;
    }

    CompletableFuture<List<LeasedTask>> answer() {
      return answer;
    }

    private boolean needsReply(String queue) {
      return unanswered != null && unanswered.contains(queue);
    }

    private boolean hasAllReplies() {
      return unanswered == null || unanswered.isEmpty();
    }
  }

  private final Executor answers;
  private final List<Poll> polls = new ArrayList<>();

  /**
   * @param answers runs the sending of answers
   */
  WaitingPolls(Executor answers) {
    this.answers = answers;
  }

  int size() {
    return polls.size();
  }

  boolean isEmpty() {
    return polls.isEmpty();
  }

  void add(Poll poll) {
    polls.add(poll);
  }

  /** Adds a poll that was first before. */
  void addFirst(Poll poll) {
    polls.add(0, poll);
  }

  /** Removes the poll that has waited longest for the queue; null when there is none. */
  @Nullable Poll removeFirst(String queue) {
    for (int i = 0; i < polls.size(); i++) {
      if (polls.get(i).queues.contains(queue)) {
        return polls.remove(i);
      }
    }
    return null;
  }

  /** The queues that polls wait for. */
  Set<String> queues() {
    Set<String> queues = new LinkedHashSet<>();
    polls.forEach(poll -> queues.addAll(poll.queues));
    return queues;
  }

  boolean want(String queue) {
    return polls.stream().anyMatch(poll -> poll.queues.contains(queue));
  }

  boolean needReply(String queue) {
    return polls.stream().anyMatch(poll -> poll.needsReply(queue));
  }

  /** Time until the next poll expires, at most this long. */
  long nanosUntilExpiry(long now, long limit) {
    return polls.stream().mapToLong(poll -> poll.expiresAt - now).reduce(limit, Math::min);
  }

  void endExpired(long now) {
    endIf(poll -> poll.expiresAt - now <= 0);
  }

  /** Ends the polls that waited only for the reply of this queue's server. */
  void answeredWithoutTasks(String queue) {
    endIf(
        poll ->
            poll.unanswered != null && poll.unanswered.remove(queue) && poll.unanswered.isEmpty());
  }

  /** Removes each poll as soon as it is ended: another poll may find no thread. */
  private void endIf(Predicate<Poll> condition) {
    Iterator<Poll> each = polls.iterator();
    while (each.hasNext()) {
      Poll poll = each.next();
      if (condition.test(poll)) {
        end(poll);
        each.remove();
      }
    }
  }

  private void end(Poll poll) {
    if (poll.hasAllReplies()) {
      endWithoutTasks(poll);
    } else {
      BrokerUnavailableException failure =
          new BrokerUnavailableException(
              "the Redis server of queues "
                  + poll.unanswered
                  + " does not respond; tasks that it claims later are requeued",
              true,
              new TimeoutException("no reply to a claim"));
      answers.execute(() -> poll.answer.completeExceptionally(failure));
    }
  }

  void endWithoutTasks(Poll poll) {
    poll.answer.completeAsync(List::of, answers);
  }

  /** Removes and returns all polls. */
  List<Poll> removeAll() {
    List<Poll> all = List.copyOf(polls);
    polls.clear();
    return all;
  }
}
