package io.asynq4j.service.gearman.session;

import io.asynq4j.AfterCancel;
import io.asynq4j.BrokerException;
import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.handler.Outcome;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.gearman.job.AssignedJob;
import io.asynq4j.service.gearman.job.ClaimRequest;
import io.asynq4j.service.gearman.job.JobPriority;
import io.asynq4j.service.gearman.job.JobSubmitter;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import io.asynq4j.service.gearman.protocol.RequestPacket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a peer says and is told as a worker: what it can do, the jobs it has, and how they go. Only
 * for the loop's thread.
 */
public final class WorkerSession {

  private static final Logger log = LoggerFactory.getLogger(WorkerSession.class);

  /** What is kept of a failure that a worker says no more about. */
  public static final String FAILED = "the gearman worker has reported a failure";

  private static final String CANCELLED = "it was cancelled";

  private static final int ENDED_REMEMBERED = 64;

  private final PeerSession session;
  private final PeerConnection connection;
  private final GatewayComponents parts;

  /** The functions it can do, each with the time it allows itself for one job; null = any. */
  private final Map<String, @Nullable Duration> abilities = new LinkedHashMap<>();

  private final Map<String, AssignedJob> jobs = new LinkedHashMap<>();

  /** Handles of the last jobs that ended, of which it may still say something. */
  private final Deque<String> ended = new ArrayDeque<>();

  private boolean sleeping;

  WorkerSession(PeerSession session, PeerConnection connection, GatewayComponents parts) {
    this.session = session;
    this.connection = connection;
    this.parts = parts;
  }

  static @Nullable Duration seconds(String text) {
    try {
      long seconds = Long.parseLong(text.strip());
      return seconds <= 0 ? null : Duration.ofSeconds(Math.min(seconds, Integer.MAX_VALUE));
    } catch (NumberFormatException e) {
      throw GearmanException.invalid("CAN_DO_TIMEOUT needs a number of seconds");
    }
  }

  void canDo(String function, @Nullable Duration timeout) {
    if (parts.functions().isKnownWork(function).orElse(false)) {
      abilities.put(function, timeout);
      sleepOn();
      return;
    }
    // What comes next may hang on it.
    PeerConnection.ResponseSlot place = connection.reserve(0);
    session.hold();
    parts
        .lookups()
        .execute(
            parts.functions().servers().ofDefinitions(),
            () -> {
              GearmanException refusal = null;
              try {
                parts.functions().requireWork(function);
              } catch (RuntimeException e) {
                refusal = GearmanException.of(e);
              }
              GearmanException problem = refusal;
              parts
                  .loop()
                  .execute(
                      () -> {
                        if (problem == null) {
                          abilities.put(function, timeout);
                          place.leave();
                          sleepOn();
                        } else {
                          log.info(
                              "a worker of {} may not do \"{}\": {}",
                              connection.address(),
                              function,
                              problem.text());
                          place.refuse(problem);
                        }
                        session.goOn();
                      });
            });
  }

  void resetAbilities() {
    abilities.clear();
    sleepOn();
  }

  void cannotDo(String function) {
    abilities.remove(function);
    sleepOn();
  }

  /** What it can do has changed: it is woken for other jobs from now on. */
  private void sleepOn() {
    if (sleeping) {
      wokenOrGone();
      sleep();
    }
  }

  /** By queue, the most urgent first; no function is always the last to be asked for. */
  private Map<String, String> functionsByQueue() {
    List<String> order = new ArrayList<>(abilities.keySet());
    Collections.shuffle(order);
    Map<String, String> byQueue = new LinkedHashMap<>();
    for (JobPriority priority : JobPriority.values()) {
      for (String function : order) {
        parts
            .functions()
            .queue(function, priority)
            .ifPresent(queue -> putUnlessOwn(byQueue, queue, function, priority));
      }
    }
    return byQueue;
  }

  /** A worker may do {@code a} and {@code a:high}; then jobs of the latter are called so. */
  private void putUnlessOwn(
      Map<String, String> byQueue, String queue, String function, JobPriority priority) {
    String own = priority.nameOf(function);
    byQueue.putIfAbsent(queue, abilities.containsKey(own) ? own : function);
  }

  void grab(PacketType command) {
    wokenOrGone();
    PeerConnection.ResponseSlot place = connection.reserve(0);
    Map<String, String> functions = functionsByQueue();
    ClaimRequest grab = new ClaimRequest(this, place, command, functions);
    if (session.isDraining() || functions.isEmpty()) {
      noJob(grab);
    } else {
      parts.claimer().add(grab);
    }
  }

  public void noJob(ClaimRequest grab) {
    grab.place().answer(Packets.of(PacketType.NO_JOB));
  }

  /** A task was claimed for this worker, and cannot begin. */
  public void notStarted(ClaimRequest grab, LeasedTask task) {
    noJob(grab);
    parts.jobs().giveBack(task);
  }

  /** A task was claimed for this worker. */
  public void assigned(ClaimRequest grab, LeasedTask task) {
    if (connection.isClosed() || session.isDraining()) {
      notStarted(grab, task);
      return;
    }
    String function = grab.functions().getOrDefault(task.queue().value(), task.task().type());
    AssignedJob job = new AssignedJob(task, this, timeLeft(task, function), parts.talk().name());
    jobs.put(job.handle(), job);
    ended.remove(job.handle());
    parts.jobs().take(job);
    job.setGeneration(parts.results().assigned(job.key()));
    grab.place().answer(assignment(grab.command(), job, function));
  }

  private Duration timeLeft(LeasedTask task, String function) {
    Duration timeLeft = Duration.between(parts.clock().instant(), task.deadline());
    Duration own = abilities.get(function);
    if (own != null) {
      timeLeft = shorter(timeLeft, own);
    }
    Duration defined =
        parts.functions().ofQueue(task.queue().value()).map(TaskDefinition::timeout).orElse(null);
    return defined == null ? timeLeft : shorter(timeLeft, defined);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static ByteBuffer assignment(PacketType asked, AssignedJob job, String function) {
    byte[] name = function.getBytes(StandardCharsets.UTF_8);
    byte[] data = job.task().task().payload().bytes();
    byte[] unique = JobSubmitter.uniqueOf(job.task().id(), job.task().task().headers());
    // Whoever asks for all that is known is told of a reducer only where there is one: nowhere.
    return asked == PacketType.GRAB_JOB
        ? Packets.of(PacketType.JOB_ASSIGN, job.handle(), name, data)
        : Packets.of(PacketType.JOB_ASSIGN_UNIQ, job.handle(), name, unique, data);
  }

  void sleep() {
    if (parts.claimer().sleep(this, Set.copyOf(functionsByQueue().keySet()))) {
      sleeping = true;
    } else {
      connection.send(Packets.of(PacketType.NOOP));
    }
  }

  private void wokenOrGone() {
    if (sleeping) {
      sleeping = false;
      parts.claimer().stopSleeping(this);
    }
  }

  /** There may be something to do. */
  public void wake() {
    if (sleeping) {
      // It may have come by itself and gone to sleep again since.
      wokenOrGone();
      session.send(Packets.of(PacketType.NOOP));
    }
  }

  /** Null when it has ended already, and what is said of it comes too late. */
  private @Nullable AssignedJob job(String handle) {
    AssignedJob job = jobs.get(handle);
    if (job == null && !ended.contains(handle)) {
      throw new GearmanException("JOB_NOT_FOUND", "Job given in work result not found");
    }
    return job;
  }

  void workStatus(RequestPacket request) {
    AssignedJob job = job(request.latin(0));
    if (job == null) {
      return;
    }
    pass(job, Packets.of(PacketType.WORK_STATUS, job.handle(), request.bytes(1), request.bytes(2)));
    if (job.setStatus(new JobStatus(request.latin(1), request.latin(2)))) {
      keepStatus(job);
    }
  }

  private String serverOf(AssignedJob job) {
    return parts.functions().servers().of(job.key().queue());
  }

  /**
   * Keeps it for those who look at the task in Redis. They may pass it on, so it must not be there
   * before other gateways have been sent all that the worker has said until then.
   */
  private void keepStatus(AssignedJob job) {
    JobStatus status = job.status();
    parts
        .talk()
        .afterAll(
            job,
            () ->
                parts
                    .lookups()
                    .execute(
                        serverOf(job),
                        () -> {
                          try {
                            write(job, status);
                          } finally {
                            if (!job.isWritten(status)) {
                              parts.loop().execute(() -> keepStatus(job));
                            }
                          }
                        }));
  }

  private void write(AssignedJob job, JobStatus status) {
    try {
      Progress progress = status.progress();
      parts.functions().leases().progress(job.task(), progress.percent(), progress.note());
    } catch (BrokerException e) {
      log.debug("the status of task {} is not kept: {}", job.task().id(), e.getMessage());
    }
  }

  void workData(RequestPacket request) {
    AssignedJob job = job(request.latin(0));
    if (job != null) {
      pass(job, Packets.of(request.command(), job.handle(), request.bytes(1)));
    }
  }

  /** To the clients that wait for it, here and elsewhere. */
  private void pass(AssignedJob job, ByteBuffer packet) {
    parts.results().forward(job.key(), packet);
    parts.talk().pass(job, packet);
  }

  void workComplete(RequestPacket request) {
    AssignedJob job = job(request.latin(0));
    if (job == null) {
      return;
    }
    over(job);
    byte[] result = request.bytes(1);
    end(
        job,
        Outcome.done(Payload.of(result)),
        applied -> {
          if (isApplied(applied, Outcome.Kind.DONE)) {
            parts.results().completed(job.key(), job.generation(), result);
          } else {
            parts.results().unassigned(job.key());
          }
        });
  }

  /**
   * @param exception what the worker says of it; null when nothing
   */
  void workFailed(RequestPacket request, byte @Nullable [] exception) {
    AssignedJob job = job(request.latin(0));
    if (job == null) {
      return;
    }
    over(job);
    failed(job, exception == null ? FAILED : error(exception), exception);
  }

  private static String error(byte[] exception) {
    String text = new String(exception, StandardCharsets.UTF_8).strip();
    return text.isEmpty() ? FAILED : text;
  }

  private void failed(AssignedJob job, String error, byte @Nullable [] exception) {
    endUnsuccessfully(job, Outcome.retry(error), exception);
  }

  private void endUnsuccessfully(AssignedJob job, Outcome outcome, byte @Nullable [] exception) {
    end(job, outcome, applied -> ended(job, applied, exception));
  }

  /** Ends a job, when all that was said of it has been passed on. */
  private void end(AssignedJob job, Outcome outcome, Consumer<Optional<Outcome>> then) {
    parts
        .talk()
        .afterAll(
            job,
            () ->
                parts
                    .jobs()
                    .end(
                        job,
                        outcome,
                        applied -> {
                          then.accept(applied);
                          parts.talk().look(job);
                        }));
  }

  private static boolean isApplied(Optional<Outcome> applied, Outcome.Kind kind) {
    return applied.map(Outcome::kind).filter(kind::equals).isPresent();
  }

  private void ended(AssignedJob job, Optional<Outcome> applied, byte @Nullable [] exception) {
    if (isApplied(applied, Outcome.Kind.ARCHIVE) || isApplied(applied, Outcome.Kind.DROP)) {
      parts.results().failed(job.key(), job.generation(), exception);
    } else {
      parts.results().unassigned(job.key());
    }
  }

  private void over(AssignedJob job) {
    jobs.remove(job.handle());
    ended.add(job.handle());
    if (ended.size() > ENDED_REMEMBERED) {
      ended.remove();
    }
    session.endIfIdle();
  }

  /** Another has the job, or nobody: what this worker says of it does not count any more. */
  public void leaseLost(AssignedJob job) {
    if (jobs.get(job.handle()) == job) {
      log.warn(
          "the lease on task {} of queue {} was lost while its gearman worker had it; it runs"
              + " again",
          job.task().id(),
          job.task().queue());
      over(job);
      parts.results().unassigned(job.key());
    }
  }

  /** Somebody wants it to stop. A worker cannot be told; its job is given up. */
  public void cancelled(AssignedJob job, AfterCancel after) {
    if (jobs.get(job.handle()) == job) {
      over(job);
      log.info("task {} of queue {} was cancelled", job.task().id(), job.task().queue());
      endUnsuccessfully(job, Outcome.cancelled(after, CANCELLED), /* exception= */ null);
    }
  }

  /** A worker cannot be stopped; its job is given up. */
  public void overdue(AssignedJob job) {
    if (jobs.get(job.handle()) == job) {
      over(job);
      String error = "the gearman worker was not done when the time of the attempt was over";
      log.warn("task {} of queue {}: {}", job.task().id(), job.task().queue(), error);
      failed(job, error, null);
    }
  }

  boolean hasJobs() {
    return !jobs.isEmpty();
  }

  /** What it can do. */
  Set<String> functions() {
    return abilities.keySet();
  }

  /** The connection has ended. */
  void closed() {
    sleeping = false;
    parts.claimer().stopSleeping(this);
    List<AssignedJob> left = List.copyOf(jobs.values());
    jobs.clear();
    for (AssignedJob job : left) {
      if (session.isDraining()) {
        endUnsuccessfully(job, Outcome.requeue(), /* exception= */ null);
      } else {
        parts
            .jobs()
            .workerLost(
                job,
                applied -> {
                  ended(job, applied, null);
                  parts.talk().look(job);
                });
      }
    }
  }
}
