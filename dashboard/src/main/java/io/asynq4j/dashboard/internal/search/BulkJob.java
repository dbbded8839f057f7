package io.asynq4j.dashboard.internal.search;

import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.BulkReport.BulkProgress;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.Finding;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A bulk operation or check: its request, progress and result. Thread-safe. */
public final class BulkJob {

  private static final int MAX_FAILURES = 100;

  enum State {
    RUNNING,
    DONE,
    STOPPED,
    FAILED
  }

  private final String id;
  private final String redis;
  private final BulkJobRequest request;
  private final User user;
  private final Instant startedAt;
  private final List<JsonFields> failures = new ArrayList<>();
  private State state = State.RUNNING;
  private volatile boolean isStopRequested;
  private @Nullable Instant endedAt;
  private @Nullable String step;
  private @Nullable String problem;
  private @Nullable List<JsonFields> findings;
  private long total;
  private long dropped;
  // Totals of the finished parts, and the progress of the current part.
  private Counts before = new Counts(0, 0, 0, 0);
  private Counts now = new Counts(0, 0, 0, 0);

  private record Counts(long looked, long matched, long done, long failed) {
    Counts plus(Counts other) {
      return new Counts(
          looked + other.looked, matched + other.matched, done + other.done, failed + other.failed);
    }
  }

  BulkJob(String id, String redis, BulkJobRequest request, User user, Instant startedAt) {
    this.id = id;
    this.redis = redis;
    this.request = request;
    this.user = user;
    this.startedAt = startedAt;
  }

  public String id() {
    return id;
  }

  BulkJobRequest request() {
    return request;
  }

  /** Returns whether the job may change data. */
  public boolean changes() {
    return request.changes();
  }

  User user() {
    return user;
  }

  /** A job of another user is visible only to users that may see all queues. */
  public boolean isVisibleTo(User other) {
    return other.grant().seesAll() || Objects.equals(other.name(), user.name());
  }

  public void stop() {
    isStopRequested = true;
  }

  boolean isStopRequested() {
    return isStopRequested;
  }

  public synchronized boolean isRunning() {
    return state == State.RUNNING;
  }

  synchronized void setTotal(long tasks) {
    total = tasks;
  }

  synchronized void setStep(String what) {
    step = what;
  }

  synchronized void setProgress(BulkProgress progress) {
    now = new Counts(progress.looked(), progress.matched(), progress.done(), progress.failed());
  }

  synchronized void setProgress(String what, long looked, long found, long repaired) {
    step = what;
    now = new Counts(looked, found, repaired, 0);
  }

  synchronized void addReport(String queue, BulkReport report) {
    before =
        before.plus(new Counts(report.looked(), report.matched(), report.done(), report.failed()));
    now = new Counts(0, 0, 0, 0);
    dropped += report.dropped();
    for (BulkReport.Failure failure : report.failures()) {
      addFailure(queue, failure.id(), failure.problem());
    }
    if (report.problem() != null) {
      problem = report.problem();
    }
  }

  synchronized void addFailure(String queue, @Nullable String task, String why) {
    if (failures.size() < MAX_FAILURES) {
      failures.add(new JsonFields().put("queue", queue).put("id", task).put("problem", why));
    }
  }

  synchronized void setFindings(Diagnosis diagnosis) {
    findings = diagnosis.findings().stream().map(BulkJob::fields).toList();
    if (!diagnosis.problems().isEmpty()) {
      problem = String.join(" ", diagnosis.problems());
    }
  }

  private static JsonFields fields(Finding finding) {
    return new JsonFields()
        .put("kind", finding.kind().word())
        .put("queue", finding.queue() == null ? null : finding.queue().value())
        .put("count", finding.count())
        .put("repaired", finding.repaired())
        .put("what", finding.kind().what())
        .put("why", finding.kind().why())
        .put("repair", finding.kind().repair())
        .put("sample", finding.sample());
  }

  /** Sets the final state, unless the job has ended. */
  synchronized void end(Instant at, @Nullable String why) {
    if (state != State.RUNNING) {
      return;
    }
    if (why != null) {
      problem = why;
    }
    endedAt = at;
    state = problem != null ? State.FAILED : isStopRequested ? State.STOPPED : State.DONE;
  }

  synchronized long matched() {
    return before.plus(now).matched();
  }

  synchronized long done() {
    return before.plus(now).done();
  }

  synchronized String outcome() {
    return state == State.FAILED ? "failed: " + problem : state.name().toLowerCase(Locale.ROOT);
  }

  public synchronized JsonFields fields() {
    Counts counts = before.plus(now);
    Query query = request.query();
    List<JsonFields> found = findings;
    return new JsonFields()
        .put("id", id)
        .put("redis", redis)
        .put("action", request.action().word())
        .put("query", query == null ? null : query.text())
        .put("by", user.name())
        .put("state", state.name().toLowerCase(Locale.ROOT))
        .put("startedAt", startedAt)
        .put("endedAt", endedAt)
        .put("step", step)
        .put("looked", counts.looked())
        .put("total", Math.max(total, counts.looked()))
        .put("matched", counts.matched())
        .put("done", counts.done())
        .put("failed", counts.failed())
        .put("dropped", dropped)
        .put("failures", failures.stream().map(JsonFields::map).toList())
        .put("problem", problem)
        .put("findings", found == null ? null : found.stream().map(JsonFields::map).toList());
  }
}
