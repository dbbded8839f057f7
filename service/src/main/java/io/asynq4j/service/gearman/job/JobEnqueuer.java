package io.asynq4j.service.gearman.job;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.Enqueuer;
import io.asynq4j.client.UnconfirmedTaskException;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues jobs, lets those that exist already join the existing task, and answers their clients.
 * Thread-safe.
 */
final class JobEnqueuer {

  private static final Logger log = LoggerFactory.getLogger(JobEnqueuer.class);

  /** An ID may be used by a task that has ended, and by another one the next moment. */
  private static final int MAX_TRIES = 5;

  private final Enqueuer client;
  private final Inspector inspector;
  private final ResultNotifier results;
  private final JobClaimer claimer;
  private final EventLoop loop;
  private final DuplicateJobs duplicates;
  private final JobCoalescer coalescer;

  JobEnqueuer(
      Enqueuer client,
      Inspector inspector,
      ResultNotifier results,
      GatewayBus bus,
      JobClaimer claimer,
      EventLoop loop) {
    this.client = client;
    this.inspector = inspector;
    this.results = results;
    this.claimer = claimer;
    this.loop = loop;
    this.duplicates = new DuplicateJobs(inspector);
    this.coalescer = new JobCoalescer(inspector, results, bus);
  }

  void enqueue(List<PreparedJob> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    for (PreparedJob job : jobs) {
      if (job.isAwaited()) {
        results.submitting(job.key(), job.client());
      }
    }
    List<Runnable> answers = new ArrayList<>(jobs.size());
    List<PreparedJob> newJobs = new ArrayList<>(jobs.size());
    try {
      Map<Integer, DuplicateJobs.Found> existing = findDuplicates(jobs);
      for (int i = 0; i < jobs.size(); i++) {
        DuplicateJobs.Found duplicate = existing.get(i);
        if (duplicate != null && coalescer.join(jobs.get(i).job(), duplicate.key())) {
          answers.add(joined(jobs.get(i), duplicate.key()));
        } else {
          newJobs.add(jobs.get(i));
        }
      }
    } catch (RuntimeException e) {
      GearmanException refusal = JobSubmitter.refusal(e);
      jobs.subList(answers.size() + newJobs.size(), jobs.size())
          .forEach(job -> answers.add(refused(job, refusal)));
    }
    if (!newJobs.isEmpty()) {
      answers.addAll(enqueueNew(newJobs));
    }
    loop.execute(() -> answers.forEach(Runnable::run));
  }

  private List<Runnable> enqueueNew(List<PreparedJob> jobs) {
    List<Runnable> answers = new ArrayList<>(jobs.size());
    List<EnqueueResult> enqueued;
    try {
      enqueued = client.enqueueAll(jobs.stream().map(PreparedJob::request).toList());
    } catch (RuntimeException e) {
      GearmanException refusal = JobSubmitter.refusal(e);
      jobs.forEach(job -> answers.add(refused(job, refusal)));
      return answers;
    }
    Map<Integer, DuplicateJobs.Found> concurrent = concurrentDuplicates(jobs, enqueued);
    Set<String> queues = new HashSet<>();
    for (int i = 0; i < jobs.size(); i++) {
      answers.add(answer(jobs.get(i), enqueued.get(i), concurrent.get(i), 1));
      queues.add(jobs.get(i).key().queue());
    }
    queues.forEach(claimer::enqueued);
    return answers;
  }

  /** The existing jobs with the same unique key in other queues, by index of the job. */
  private Map<Integer, DuplicateJobs.Found> findDuplicates(List<PreparedJob> jobs) {
    List<DuplicateJobs.Wanted> wanted = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      PreparedJob job = jobs.get(i);
      if (!job.duplicateQueues().isEmpty()) {
        wanted.add(new DuplicateJobs.Wanted(i, job.key().id(), job.duplicateQueues()));
      }
    }
    return wanted.isEmpty() ? Map.of() : duplicates.find(wanted);
  }

  /**
   * Two gateways may both search for duplicates before either has enqueued its job; so both search
   * again. The later one finds the job of the other, and deletes its own.
   */
  private Map<Integer, DuplicateJobs.Found> concurrentDuplicates(
      List<PreparedJob> jobs, List<EnqueueResult> results) {
    try {
      Map<Integer, DuplicateJobs.Found> found = new HashMap<>(findDuplicates(jobs));
      found
          .entrySet()
          .removeIf(each -> !(results.get(each.getKey()) instanceof EnqueueResult.Enqueued));
      return found;
    } catch (RuntimeException e) {
      // They are enqueued; in the worst case also under another priority.
      log.warn("jobs may be enqueued twice, with two priorities: {}", e.getMessage());
      return Map.of();
    }
  }

  /**
   * The answer to the client, to be sent by the event loop.
   *
   * @param duplicate a job that was enqueued at the same moment
   */
  private Runnable answer(
      PreparedJob job, EnqueueResult result, DuplicateJobs.@Nullable Found duplicate, int tries) {
    try {
      if (result instanceof EnqueueResult.Enqueued) {
        if (duplicate == null || !deleteIfLater(job, duplicate)) {
          return created(job);
        } else if (coalescer.join(job.job(), duplicate.key())) {
          return joined(job, duplicate.key());
        }
        return retry(job, tries);
      } else if (result instanceof EnqueueResult.Duplicate holder) {
        JobKey key = new JobKey(job.key().queue(), holder.holderId());
        boolean unused = coalescer.join(job.job(), key);
        return joined(job, key);
      } else if (result instanceof EnqueueResult.IdConflict) {
        if (coalescer.joinOrDeleteEnded(job.job(), job.key()) || tries == MAX_TRIES) {
          return joined(job, job.key());
        }
        return retry(job, tries);
      }
      throw ((EnqueueResult.Failed) result).error();
    } catch (UnconfirmedTaskException e) {
      return refused(
          job,
          new GearmanException(
              "UNCONFIRMED",
              "the job is enqueued, but not as durable as configured; a failover may lose it"));
    } catch (RuntimeException e) {
      return refused(job, JobSubmitter.refusal(e));
    }
  }

  private Runnable retry(PreparedJob job, int tries) {
    return answer(job, client.enqueueAll(List.of(job.request())).get(0), null, tries + 1);
  }

  /** Deletes a job that was enqueued after its duplicate, unless it was started or joined. */
  private boolean deleteIfLater(PreparedJob job, DuplicateJobs.Found duplicate) {
    try {
      return inspector
          .queue(job.key().queue())
          .deleteIf(
              job.key().id(),
              task ->
                  (task.state() == TaskState.PENDING || task.state() == TaskState.SCHEDULED)
                      && task.headers().equals(job.headers())
                      && duplicate.isBefore(task));
    } catch (TaskNotFoundException | QueueNotFoundException | TaskStateException e) {
      return false;
    }
  }

  private Runnable created(PreparedJob job) {
    if (job.isAwaited()) {
      results.created(job.key(), job.client());
    }
    return answered(job, job.key());
  }

  private Runnable joined(PreparedJob job, JobKey key) {
    if (job.isAwaited()) {
      results.joined(job.key(), key, job.client());
    } else {
      results.submittedInBackground(key);
    }
    return answered(job, key);
  }

  private static Runnable answered(PreparedJob job, JobKey key) {
    return () -> {
      job.job().slot().answer(Packets.of(PacketType.JOB_CREATED, key.handle()));
      job.client().submitted();
    };
  }

  private Runnable refused(PreparedJob job, GearmanException refusal) {
    if (job.isAwaited()) {
      results.refused(job.key(), job.client());
    }
    return () -> job.job().slot().refuse(refusal);
  }
}
