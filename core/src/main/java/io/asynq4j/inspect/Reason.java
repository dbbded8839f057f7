package io.asynq4j.inspect;

import io.asynq4j.RateLimit;
import io.asynq4j.internal.text.DurationFormat;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Why a task does not run, or where it is instead. Immutable. */
public sealed interface Reason {

  /** In words, as a sentence. */
  String text();

  /** Its time has not come. */
  record NotDue(Instant due, Duration left) implements Reason {
    @Override
    public String text() {
      return "It is due at " + due + ", in " + DurationFormat.approximate(left) + ".";
    }
  }

  /** Its time has come, but nobody has made it pending yet. */
  record NotForwarded(Instant due) implements Reason {
    @Override
    public String text() {
      return "It is due since " + due + "; a server of its queue makes it pending within seconds.";
    }
  }

  /** Its last attempt failed, and it waits for the next. */
  record AttemptFailed(String error, @Nullable Instant at, int retried, int maxRetry)
      implements Reason {
    @Override
    public String text() {
      return "Its last attempt failed%s (retry %d of %d): %s"
          .formatted(at == null ? "" : " at " + at, retried, maxRetry, error);
    }
  }

  /** The server that took it had no handler for its type. */
  record NoHandler(String type) implements Reason {
    @Override
    public String text() {
      return "The server that took it last has no handler for \""
          + type
          + "\"; it waits for one that has, which costs no retry.";
    }
  }

  record QueuePaused(Instant since) implements Reason {
    @Override
    public String text() {
      return "Its queue is paused since " + since + "; resume it.";
    }
  }

  /** As many tasks of the queue run as may, as it was set in Redis. */
  record LimitReached(int maxActive, long active) implements Reason {
    @Override
    public String text() {
      return "%d tasks of its queue run, and no more than %d may.".formatted(active, maxActive);
    }
  }

  /** Tasks of the queue begin at a rate, and there are too many before it. */
  record RateReached(RateLimit rate, Instant earliest) implements Reason {
    @Override
    public String text() {
      return "Tasks of its queue begin at a rate of %s, so it begins at %s at the earliest."
          .formatted(rate.text(), earliest);
    }
  }

  /** The queue is ordered, and a task at its head waits for another attempt. */
  record QueueBlocked(String byTask, Instant until) implements Reason {
    @Override
    public String text() {
      return "The queue is ordered, and task " + byTask + " holds the line until " + until + ".";
    }
  }

  /**
   * Others come first.
   *
   * @param atLeast there are more, which were not counted
   */
  record Behind(long others, boolean atLeast) implements Reason {
    @Override
    public String text() {
      return "%s%,d %s before it."
          .formatted(atLeast ? "At least " : "", others, others == 1 ? "task is" : "tasks are");
    }
  }

  /**
   * Nobody takes tasks from its queue.
   *
   * @param otherServers how many live servers there are that do not
   */
  record NoServer(int otherServers) implements Reason {
    @Override
    public String text() {
      return "No live server serves its queue (%d serve others, or claim nothing more)."
          .formatted(otherServers);
    }
  }

  /** All workers of all servers of its queue are busy. */
  record WorkersBusy(int servers, int workers) implements Reason {
    @Override
    public String text() {
      return "All %d workers of the %d servers of its queue are busy.".formatted(workers, servers);
    }
  }

  /** A worker has it. */
  record Running(
      String serverId, String host, int pid, @Nullable Instant since, @Nullable Instant deadline)
      implements Reason {
    @Override
    public String text() {
      return "It runs on server %s (%s:%d)%s%s."
          .formatted(
              serverId,
              host,
              pid,
              since == null ? "" : " since " + since,
              deadline == null ? "" : ", until " + deadline + " at most");
    }
  }

  /** It is active, but no live server says that it has it. */
  record HeldUnseen() implements Reason {
    @Override
    public String text() {
      return "A worker has it that no live server shows: it was taken seconds ago, or by hand.";
    }
  }

  /** It is active, but the lease of its worker has run out. */
  record Orphaned() implements Reason {
    @Override
    public String text() {
      return "The lease of its worker has run out; a server of its queue will take it over.";
    }
  }

  /** It waits to become part of one task, or is just being made part of one. */
  record InGroup(String group, long size, @Nullable Instant since) implements Reason {
    @Override
    public String text() {
      return "It waits in group \"%s\", with %,d tasks in all%s, to become part of one task; for that a"
              .formatted(group, size, since == null ? "" : ", since " + since)
          + " server of its queue needs an aggregator.";
    }
  }

  record Archived(@Nullable Instant since, String error) implements Reason {
    @Override
    public String text() {
      return "It is archived%s%s; run it to have it tried again."
          .formatted(
              since == null ? "" : " since " + since, error.isEmpty() ? "" : " (" + error + ")");
    }
  }

  record Completed(@Nullable Instant at) implements Reason {
    @Override
    public String text() {
      return "It has completed" + (at == null ? "." : " at " + at + ".");
    }
  }
}
