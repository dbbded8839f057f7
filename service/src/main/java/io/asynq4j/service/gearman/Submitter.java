package io.asynq4j.service.gearman;

import io.asynq4j.BrokerException;
import io.asynq4j.Payload;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.Task;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.UnconfirmedTaskException;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.Enqueuer;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.inspect.Inspector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands the jobs of clients in, as many together as have gathered. Thread-safe. */
final class Submitter {

  private static final Logger log = LoggerFactory.getLogger(Submitter.class);

  /** What a job was called by its client, where its id says something else; each byte a char. */
  static final String UNIQUE_HEADER = "gearman-unique";

  private static final int MOST_AT_ONCE = 200;
  private static final int MOST_BYTES_AT_ONCE = 8 << 20;

  /** An id is taken by a task that has ended, and by another one the next moment. */
  private static final int MOST_TRIES = 5;

  /** A job with all that is needed to hand it in. */
  private record Ready(Submission job, JobKey key, EnqueueRequest request) {
    boolean isAwaited() {
      return !job.background();
    }
  }

  private final Functions functions;
  private final Enqueuer client;
  private final Inspector inspector;
  private final Results results;
  private final EventLoop loop;
  private final Admission admission;
  private final Backlog backlog;
  private final Duration resultRetention;
  private final Desk<Submission> desk;

  Submitter(
      Functions functions,
      Enqueuer client,
      Inspector inspector,
      Results results,
      EventLoop loop,
      Admission admission,
      Duration resultRetention) {
    this.functions = functions;
    this.client = client;
    this.inspector = inspector;
    this.results = results;
    this.loop = loop;
    this.admission = admission;
    this.backlog = new Backlog(inspector);
    this.resultRetention = resultRetention;
    this.desk = new Desk<>("submit", MOST_AT_ONCE, this::submit);
  }

  void add(Submission job) {
    if (!desk.add(job)) {
      job.place().refuse(Refusal.shuttingDown());
    }
  }

  private void submit(List<Submission> jobs) {
    List<Ready> some = new ArrayList<>();
    long bytes = 0;
    for (Submission job : jobs) {
      Optional<Ready> ready = ready(job);
      if (ready.isPresent()) {
        some.add(ready.get());
        bytes += job.data().size();
      }
      if (bytes > MOST_BYTES_AT_ONCE) {
        handIn(some);
        some.clear();
        bytes = 0;
      }
    }
    handIn(some);
  }

  /** Empty when it has been refused. */
  private Optional<Ready> ready(Submission job) {
    try {
      TaskDefinition definition = functions.require(job.function(), job.priority());
      backlog.admit(definition);
      Optional<String> refusal = admission.refusal(definition, job.data());
      if (refusal.isPresent()) {
        throw new Refusal("JOB_REFUSED", refusal.get());
      }
      String id = job.taskId();
      return Optional.of(
          new Ready(job, new JobKey(definition.queue().value(), id), request(job, definition, id)));
    } catch (Refusal refusal) {
      refuse(job, refusal);
    } catch (IllegalArgumentException e) {
      refuse(job, Refusal.invalid(String.valueOf(e.getMessage())));
    } catch (BrokerException e) {
      refuse(job, unavailable(e));
    } catch (RuntimeException e) {
      log.error("a job of \"{}\" cannot be looked at", job.function(), e);
      refuse(job, new Refusal("SERVER_ERROR", "the gateway has failed; its log says more"));
    }
    return Optional.empty();
  }

  private EnqueueRequest request(Submission job, TaskDefinition definition, String id) {
    TaskOptions.Builder own = TaskOptions.builder().id(id);
    if (!job.background()) {
      // Whoever waits is told of a failure, and decides himself whether to try again.
      own.maxRetry(0);
      Duration retention = definition.retention();
      if (retention == null || retention.compareTo(resultRetention) < 0) {
        own.retention(resultRetention);
      }
    }
    if (job.at() != null) {
      own.processAt(job.at());
    }
    Map<String, String> headers =
        job.unique().isEmpty() || job.unique().equals(id)
            ? Map.of()
            : Map.of(UNIQUE_HEADER, job.unique());
    return EnqueueRequest.of(
        new Task(definition.name(), job.data(), headers),
        definition.options().overriddenBy(own.build()));
  }

  private void handIn(List<Ready> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    for (Ready job : jobs) {
      if (job.isAwaited()) {
        results.await(job.key(), job.job().client(), /* foreground= */ true);
      }
    }
    List<EnqueueResult> answers = client.enqueueAll(jobs.stream().map(Ready::request).toList());
    List<Runnable> told = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      Ready job = jobs.get(i);
      told.add(answer(job, answers.get(i), 1));
    }
    loop.execute(() -> told.forEach(Runnable::run));
  }

  /** What is to be told to the client, by the loop. */
  private Runnable answer(Ready job, EnqueueResult result, int tries) {
    try {
      if (result instanceof EnqueueResult.Enqueued) {
        return created(job, job.key(), /* shared= */ false);
      } else if (result instanceof EnqueueResult.Duplicate duplicate) {
        return created(
            job, new JobKey(job.key().queue(), duplicate.holderId()), /* shared= */ true);
      } else if (result instanceof EnqueueResult.IdConflict) {
        if (isUnderWay(job.key()) || tries == MOST_TRIES) {
          return created(job, job.key(), /* shared= */ true);
        }
        return answer(job, client.enqueueAll(List.of(job.request())).get(0), tries + 1);
      }
      throw ((EnqueueResult.Failed) result).error();
    } catch (UnconfirmedTaskException e) {
      return refused(
          job,
          new Refusal(
              "UNCONFIRMED",
              "the job is in, but not as durable as configured; it may get lost in a failover"));
    } catch (IllegalArgumentException e) {
      return refused(job, Refusal.invalid(String.valueOf(e.getMessage())));
    } catch (BrokerException e) {
      return refused(job, unavailable(e));
    } catch (RuntimeException e) {
      log.error("a job of \"{}\" cannot be handed in", job.job().function(), e);
      return refused(job, new Refusal("SERVER_ERROR", "the gateway has failed; its log says more"));
    }
  }

  /**
   * Whether the task with this id is still to be done. In gearman, what has ended leaves no trace,
   * so one that has is deleted to make way; but not one that another gateway has handed in just
   * now, in its place.
   */
  private boolean isUnderWay(JobKey key) {
    try {
      return !inspector.deleteIf(key.queue(), key.id(), task -> hasEnded(task.state()));
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      return false;
    } catch (TaskStateException e) {
      // Somebody has just handed it in again, and it runs already.
      return true;
    }
  }

  private static boolean hasEnded(TaskState state) {
    return state == TaskState.COMPLETED || state == TaskState.ARCHIVED;
  }

  private Runnable created(Ready job, JobKey key, boolean shared) {
    Submission submission = job.job();
    if (job.isAwaited()) {
      if (!key.equals(job.key())) {
        results.forget(job.key(), submission.client());
        results.await(key, submission.client(), /* foreground= */ false);
      }
      results.handedIn(key, shared);
    } else {
      // A client that waits for it must not take it along when he goes.
      results.handedIn(key, /* shared= */ true);
    }
    return () -> submission.place().answer(Packets.of(Command.JOB_CREATED, key.handle()));
  }

  private Runnable refused(Ready job, Refusal refusal) {
    if (job.isAwaited()) {
      results.forget(job.key(), job.job().client());
    }
    return () -> job.job().place().refuse(refusal);
  }

  private void refuse(Submission job, Refusal refusal) {
    loop.execute(() -> job.place().refuse(refusal));
  }

  private static Refusal unavailable(BrokerException e) {
    log.warn("jobs cannot be handed in: {}", e.getMessage());
    return new Refusal(
        "QUEUE_ERROR", "the job may not be in: Redis does not answer or refuses; hand it in again");
  }

  void close(Duration most) {
    desk.close(most);
  }

  /** The name of a job as its client gave it. */
  static byte[] uniqueOf(String id, Map<String, String> headers) {
    String unique = headers.get(UNIQUE_HEADER);
    return unique != null ? Packets.latin(unique) : Payload.ofUtf8(id).bytes();
  }
}
