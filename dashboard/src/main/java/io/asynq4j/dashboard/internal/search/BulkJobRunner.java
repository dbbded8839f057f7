package io.asynq4j.dashboard.internal.search;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.dashboard.internal.auth.AuditLog;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Selection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs bulk operations in the background, independently of the browser that started them. They end
 * with the dashboard; completed changes are kept. Thread-safe.
 */
public final class BulkJobRunner implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BulkJobRunner.class);

  private static final int MAX_RUNNING = 4;
  private static final int KEPT = 100;
  private static final Duration PUBLISH_INTERVAL = Duration.ofMillis(500);

  private final RedisInstance source;
  private final PayloadRenderer contents;
  private final AuditLog audit;
  private final Map<String, BulkJob> jobs = new LinkedHashMap<>();
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          MAX_RUNNING,
          task -> {
            Thread thread = new Thread(task, "asynq-dashboard-job");
            thread.setDaemon(true);
            return thread;
          });

  BulkJobRunner(RedisInstance source, PayloadRenderer contents, AuditLog audit) {
    this.source = source;
    this.contents = contents;
    this.audit = audit;
  }

  /** Newest first. */
  public synchronized List<BulkJob> all(User user) {
    List<BulkJob> newest = new ArrayList<>(jobs.values());
    java.util.Collections.reverse(newest);
    return newest.stream().filter(job -> job.isVisibleTo(user)).toList();
  }

  public synchronized BulkJob get(String id, User user) {
    BulkJob job = jobs.get(id);
    if (job == null || !job.isVisibleTo(user)) {
      throw Problems.notFound(
          "Job "
              + id
              + " not found. The dashboard keeps the last "
              + KEPT
              + " jobs until it stops.");
    }
    return job;
  }

  public BulkJob start(BulkJobRequest request, User user, String address) {
    BulkJob job =
        new BulkJob(UUID.randomUUID().toString(), source.name(), request, user, source.now());
    synchronized (this) {
      if (jobs.values().stream().filter(BulkJob::isRunning).count() >= MAX_RUNNING) {
        throw Problems.tooMany(
            MAX_RUNNING + " jobs are running. Wait until one is done, or stop one.", 10);
      }
      jobs.put(job.id(), job);
      while (jobs.size() > KEPT) {
        jobs.remove(
            jobs.values().stream()
                .filter(each -> !each.isRunning())
                .findFirst()
                .orElseThrow()
                .id());
      }
    }
    threads.execute(() -> run(job, address));
    return job;
  }

  private void run(BulkJob job, String address) {
    @Nullable String problem = null;
    try {
      if (job.request().action() == BulkJobRequest.Action.DOCTOR) {
        examine(job);
      } else {
        apply(job);
      }
    } catch (RuntimeException | Error e) {
      if (!(e instanceof BrokerException || e instanceof IllegalArgumentException)) {
        log.error("job {} failed", job.id(), e);
      }
      problem = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    } finally {
      if (job.changes()) {
        source.markChanged();
      }
      job.end(source.now(), problem);
      recordInAuditLog(job, address);
      publish(job);
    }
  }

  private void publish(BulkJob job) {
    source.events().send("job", job.fields(), job::isVisibleTo);
  }

  private void recordInAuditLog(BulkJob job, String address) {
    if (!job.changes()) {
      return;
    }
    Query query = job.request().query();
    audit.add(
        new AuditLog.Entry(
            source.now(),
            job.user().name(),
            address,
            source.name(),
            "job " + job.request().action().word(),
            query == null ? "" : query.text(),
            job.done(),
            job.outcome(),
            null));
  }

  private void apply(BulkJob job) {
    Query query = Objects.requireNonNull(job.request().query());
    TaskSearch search = new TaskSearch(source, contents);
    List<TaskSearch.Part> parts = search.parts(query, job.user().grant());
    job.setTotal(search.total(parts));
    ProgressPublisher publisher = new ProgressPublisher(job);
    for (TaskSearch.Part part : parts) {
      long remaining = job.request().limit() - job.matched();
      if (job.isStopRequested() || remaining <= 0) {
        return;
      }
      job.setStep(part.queue() + " " + part.state().word());
      Selection selection =
          search
              .select(part, query)
              .limit(remaining)
              .stopWhen(job::isStopRequested)
              .onProgress(
                  progress -> {
                    job.setProgress(progress);
                    publisher.publish();
                  });
      try {
        job.addReport(part.queue(), act(job.request(), part, selection));
      } catch (QueueNotFoundException e) {
        // The queue was removed in the meantime, with its tasks.
        job.setStep(part.queue() + ": removed during the job");
      } catch (io.asynq4j.BrokerRefusedException e) {
        // A queue that cannot be read does not stop the job for the others.
        job.addFailure(part.queue(), null, Objects.requireNonNullElse(e.getMessage(), "refused"));
      }
    }
  }

  private static BulkReport act(BulkJobRequest request, TaskSearch.Part part, Selection selection) {
    return switch (request.action()) {
      case COUNT -> selection.count();
      case RUN -> selection.run();
      case ARCHIVE -> (request.dropOldest() ? selection.droppingOldest() : selection).archive();
      case DELETE -> selection.delete();
      case CANCEL -> selection.cancel(request.after());
      case MOVE -> move(Objects.requireNonNull(request.to()), part, selection);
      case RESCHEDULE -> selection.reschedule(Objects.requireNonNull(request.at()));
      case DOCTOR -> throw new AssertionError("the doctor does not select tasks");
    };
  }

  private static BulkReport move(String to, TaskSearch.Part part, Selection selection) {
    // Tasks that are already in the target queue stay there.
    return part.queue().equals(to) ? BulkReport.builder().build() : selection.moveTo(to);
  }

  private void examine(BulkJob job) {
    BulkJobRequest request = job.request();
    DoctorOptions.Builder options =
        request.repair() ? DoctorOptions.repair() : DoctorOptions.dryRun();
    if (request.removeUnreadable()) {
      options.removeUnreadable();
    }
    if (request.trimArchives()) {
      options.trimArchives();
    }
    ProgressPublisher publisher = new ProgressPublisher(job);
    job.setFindings(
        source
            .inspector()
            .doctor(
                options.build(),
                progress -> {
                  job.setProgress(
                      progress.step(), progress.examined(), progress.found(), progress.repaired());
                  publisher.publish();
                  return !job.isStopRequested();
                }));
  }

  /** Sends the progress to open pages, at a limited rate. */
  private final class ProgressPublisher {
    private final BulkJob job;
    private long publishedNanos = System.nanoTime();

    ProgressPublisher(BulkJob job) {
      this.job = job;
    }

    void publish() {
      long now = System.nanoTime();
      if (now - publishedNanos > PUBLISH_INTERVAL.toNanos()) {
        publishedNanos = now;
        BulkJobRunner.this.publish(job);
      }
    }
  }

  /** Stops the running jobs. */
  @Override
  public void close() {
    synchronized (this) {
      jobs.values().forEach(BulkJob::stop);
    }
    threads.shutdown();
    try {
      if (!threads.awaitTermination(5, java.util.concurrent.TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
