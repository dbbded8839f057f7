package io.asynq4j.inspect;

import io.asynq4j.RateLimit;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import io.asynq4j.internal.text.DurationFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** A reason why a task does not run, or where it is instead. Immutable. */
public sealed interface Reason {

  /** The reason as a sentence. */
  String text();

  private static String counted(long number, String noun) {
    return "%,d %s%s".formatted(number, noun, number == 1 ? "" : "s");
  }

  /** It is not due yet. */
  record NotDue(Instant due, Duration left) implements Reason {
    @Override
    public String text() {
      return "It is due at " + due + ", in " + DurationFormat.approximate(left) + ".";
    }
  }

  /** It is due, but no server has made it pending yet. */
  record NotForwarded(Instant due) implements Reason {
    @Override
    public String text() {
      return "It has been due since %s; a server of its queue makes it pending within seconds."
          .formatted(due);
    }
  }

  /** Its last attempt failed, and it waits for the next one. */
  record AttemptFailed(String error, @Nullable Instant at, int retried, int maxRetry)
      implements Reason {
    @Override
    public String text() {
      return "Its last attempt failed%s (retry %d of %d): %s"
          .formatted(at == null ? "" : " at " + at, retried, maxRetry, error);
    }
  }

  /** The server that claimed it last had no handler for its type. */
  record NoHandler(String type) implements Reason {
    @Override
    public String text() {
      return "The server that claimed it last has no handler for \"%s\"; it waits for a server with a handler, which costs no retry."
          .formatted(type);
    }
  }

  /** Its queue is paused. */
  record QueuePaused(Instant since) implements Reason {
    @Override
    public String text() {
      return "Its queue has been paused since " + since + "; resume the queue.";
    }
  }

  /** The queue has reached its limit of active tasks that is set in Redis. */
  record LimitReached(int maxActive, long active) implements Reason {
    @Override
    public String text() {
      return "Its queue has reached its limit of active tasks: %d of %d."
          .formatted(active, maxActive);
    }
  }

  /** The rate limit of the queue delays it. */
  record RateReached(RateLimit rate, Instant earliest) implements Reason {
    @Override
    public String text() {
      return "The rate limit of its queue is %s, so it starts at %s at the earliest."
          .formatted(rate.text(), earliest);
    }
  }

  /** The queue is ordered, and the task at its head waits for its next attempt. */
  record QueueBlocked(String byTask, Instant until) implements Reason {
    @Override
    public String text() {
      return "Its queue is ordered, and task " + byTask + " blocks it until " + until + ".";
    }
  }

  /**
   * Other tasks are before it.
   *
   * @param atLeast whether there are more that were not counted
   */
  record Behind(long others, boolean atLeast) implements Reason {
    @Override
    public String text() {
      return "%s%,d %s before it."
          .formatted(atLeast ? "At least " : "", others, others == 1 ? "task is" : "tasks are");
    }
  }

  /**
   * No live server claims tasks from its queue.
   *
   * @param otherServers number of live servers
   */
  record NoServer(int otherServers) implements Reason {
    @Override
    public String text() {
      return "No live server claims tasks from its queue."
          + (otherServers == 0
              ? ""
              : " Servers that claim from other queues or are stopping: " + otherServers + ".");
    }
  }

  /** All workers of all servers of its queue are busy. */
  record WorkersBusy(int servers, int workers) implements Reason {
    @Override
    public String text() {
      return "All workers of its queue are busy: %s on %s."
          .formatted(counted(workers, "worker"), counted(servers, "server"));
    }
  }

  /** A worker runs it. */
  record Running(ServerSnapshot server, WorkerSnapshot worker) implements Reason {
    @Override
    public String text() {
      Instant since = worker.started();
      Instant deadline = worker.deadline();
      return "It is running on server %s (%s:%d)%s%s."
          .formatted(
              server.id(),
              server.host(),
              server.pid(),
              since == null ? "" : ", started at " + since.truncatedTo(ChronoUnit.SECONDS),
              deadline == null
                  ? ""
                  : ", with deadline " + deadline.truncatedTo(ChronoUnit.SECONDS));
    }
  }

  /** It is active, but no live server reports that it runs it. */
  record HeldUnseen() implements Reason {
    @Override
    public String text() {
      return "It is active, but no live server reports it: it was claimed seconds ago, or through a lease.";
    }
  }

  /** It is active, but the lease of its worker has expired. */
  record Orphaned() implements Reason {
    @Override
    public String text() {
      return "The lease of its worker has expired; a server of its queue will recover it.";
    }
  }

  /** It waits in a group to be aggregated, or is being aggregated. */
  record InGroup(String group, long size, @Nullable Instant since) implements Reason {
    @Override
    public String text() {
      return "It waits for aggregation in group \"%s\" (%s)%s. A server of its queue needs an aggregator."
          .formatted(group, counted(size, "task"), since == null ? "" : " since " + since);
    }
  }

  /** It is archived. */
  record Archived(@Nullable Instant since, String error) implements Reason {
    @Override
    public String text() {
      return "It was archived%s%s. Run it to try it again."
          .formatted(
              since == null ? "" : " at " + since, error.isEmpty() ? "" : " (" + error + ")");
    }
  }

  /** It has completed. */
  record Completed(@Nullable Instant at) implements Reason {
    @Override
    public String text() {
      return "It completed" + (at == null ? "." : " at " + at + ".");
    }
  }
}
