package io.asynq4j.service.gearman.session;

import io.asynq4j.AfterCancel;
import io.asynq4j.BrokerException;
import io.asynq4j.Payload;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.handler.Outcome;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.gearman.job.AssignedJob;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.protocol.RequestPacket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that a worker has: forwards their data and progress, and settles them. Only for the
 * event loop's thread.
 */
public final class WorkerJobs {

  private static final Logger log = LoggerFactory.getLogger(WorkerJobs.class);

  /** Error of a task whose worker reported a failure without a message. */
  public static final String FAILED = "the gearman worker has reported a failure";

  private static final String CANCELLED = "cancelled by an operator";

  private static final int MAX_ENDED = 64;

  private final PeerSession session;
  private final GatewayComponents gateway;
  private final Map<String, AssignedJob> jobs = new LinkedHashMap<>();

  /** Handles of the last jobs that ended, about which the worker may still send packets. */
  private final Deque<String> ended = new ArrayDeque<>();

  WorkerJobs(PeerSession session, GatewayComponents gateway) {
    this.session = session;
    this.gateway = gateway;
  }

  boolean isEmpty() {
    return jobs.isEmpty();
  }

  /** Adds a task that was claimed for the worker. */
  AssignedJob add(LeasedTask task, Duration timeLeft) {
    AssignedJob job = new AssignedJob(task, this, timeLeft, gateway.bus().name());
    jobs.put(job.handle(), job);
    ended.remove(job.handle());
    gateway.jobs().add(job);
    job.setGeneration(gateway.results().assigned(job.key()));
    return job;
  }

  /** Returns null when the job has ended already, so that the packet is too late. */
  private @Nullable AssignedJob find(String handle) {
    AssignedJob job = jobs.get(handle);
    if (job == null && !ended.contains(handle)) {
      throw new GearmanException("JOB_NOT_FOUND", "Job given in work result not found");
    }
    return job;
  }

  void status(RequestPacket request) {
    AssignedJob job = find(request.latin(0));
    if (job == null) {
      return;
    }
    forward(
        job, Packets.of(PacketType.WORK_STATUS, job.handle(), request.bytes(1), request.bytes(2)));
    if (job.setStatus(new JobStatus(request.latin(1), request.latin(2)))) {
      storeStatus(job);
    }
  }

  /**
   * Stores the status in Redis, where other gateways may read and forward it. So it must not be
   * there before they have been sent all earlier packets of the worker.
   */
  private void storeStatus(AssignedJob job) {
    JobStatus status = job.status();
    gateway
        .bus()
        .afterMessages(
            job,
            () ->
                gateway
                    .lookups()
                    .execute(
                        gateway.serverOf(job.key()),
                        () -> {
                          try {
                            write(job, status);
                          } finally {
                            if (!job.isWritten(status)) {
                              gateway.loop().execute(() -> storeStatus(job));
                            }
                          }
                        }));
  }

  private void write(AssignedJob job, JobStatus status) {
    try {
      Progress progress = status.progress();
      gateway.functions().leases().progress(job.task(), progress.percent(), progress.note());
    } catch (BrokerException e) {
      log.debug("the status of task {} is not stored: {}", job.task().id(), e.getMessage());
    }
  }

  void data(RequestPacket request) {
    AssignedJob job = find(request.latin(0));
    if (job != null) {
      forward(job, Packets.of(request.command(), job.handle(), request.bytes(1)));
    }
  }

  /** Sends a packet to the clients that wait for the job, of this and of other gateways. */
  private void forward(AssignedJob job, ByteBuffer packet) {
    gateway.results().forward(job.key(), packet);
    gateway.bus().forward(job, packet);
  }

  void completed(RequestPacket request) {
    AssignedJob job = find(request.latin(0));
    if (job == null) {
      return;
    }
    remove(job);
    byte[] result = request.bytes(1);
    settle(
        job,
        Outcome.done(Payload.of(result)),
        applied -> {
          if (isApplied(applied, Outcome.Kind.DONE)) {
            gateway.results().completed(job.key(), job.generation(), result);
          } else {
            gateway.results().unassigned(job.key());
          }
        });
  }

  /**
   * @param exception the error that the worker reports; null when none
   */
  void failed(RequestPacket request, byte @Nullable [] exception) {
    AssignedJob job = find(request.latin(0));
    if (job == null) {
      return;
    }
    remove(job);
    String error = exception == null ? FAILED : error(exception);
    settleUnsuccessful(job, Outcome.retry(error), exception);
  }

  private static String error(byte[] exception) {
    String text = new String(exception, StandardCharsets.UTF_8).strip();
    return text.isEmpty() ? FAILED : text;
  }

  private void settleUnsuccessful(AssignedJob job, Outcome outcome, byte @Nullable [] exception) {
    settle(job, outcome, applied -> settled(job, applied, exception));
  }

  /** Settles a job when all its packets have been forwarded. */
  private void settle(AssignedJob job, Outcome outcome, Consumer<Optional<Outcome>> then) {
    gateway
        .bus()
        .afterMessages(
            job,
            () ->
                gateway
                    .jobs()
                    .settle(
                        job,
                        outcome,
                        applied -> {
                          then.accept(applied);
                          gateway.bus().poll(job);
                        }));
  }

  private static boolean isApplied(Optional<Outcome> applied, Outcome.Kind kind) {
    return applied.map(Outcome::kind).filter(kind::equals).isPresent();
  }

  private void settled(AssignedJob job, Optional<Outcome> applied, byte @Nullable [] exception) {
    if (isApplied(applied, Outcome.Kind.ARCHIVE) || isApplied(applied, Outcome.Kind.DROP)) {
      gateway.results().failed(job.key(), job.generation(), exception);
    } else {
      gateway.results().unassigned(job.key());
    }
  }

  private void remove(AssignedJob job) {
    jobs.remove(job.handle());
    ended.add(job.handle());
    if (ended.size() > MAX_ENDED) {
      ended.remove();
    }
    session.closeIfDrained();
  }

  /** Removes a job whose lease is lost; packets of the worker about it are ignored from now on. */
  public void leaseLost(AssignedJob job) {
    if (jobs.get(job.handle()) == job) {
      log.warn(
          "the lease on task {} of queue {} was lost while its gearman worker had it; it runs"
              + " again",
          job.task().id(),
          job.task().queue());
      remove(job);
      gateway.results().unassigned(job.key());
    }
  }

  /** Settles a cancelled job. The protocol has no way to stop its worker. */
  public void cancelled(AssignedJob job, AfterCancel after) {
    if (jobs.get(job.handle()) == job) {
      remove(job);
      log.info("task {} of queue {} was cancelled", job.task().id(), job.task().queue());
      settleUnsuccessful(job, Outcome.cancelled(after, CANCELLED), /* exception= */ null);
    }
  }

  /** Settles a job whose time is over. The protocol has no way to stop its worker. */
  public void overdue(AssignedJob job) {
    if (jobs.get(job.handle()) == job) {
      remove(job);
      String error = "the gearman worker did not finish the job before its timeout";
      log.warn("task {} of queue {}: {}", job.task().id(), job.task().queue(), error);
      settleUnsuccessful(job, Outcome.retry(error), /* exception= */ null);
    }
  }

  /**
   * Settles the jobs of a worker that has disconnected: they are requeued, but not for ever, unless
   * the gateway disconnected it.
   */
  void disconnected() {
    List<AssignedJob> left = List.copyOf(jobs.values());
    jobs.clear();
    for (AssignedJob job : left) {
      if (session.isDraining()) {
        settleUnsuccessful(job, Outcome.requeue(), /* exception= */ null);
      } else {
        gateway
            .jobs()
            .workerLost(
                job,
                applied -> {
                  settled(job, applied, null);
                  gateway.bus().poll(job);
                });
      }
    }
  }
}
