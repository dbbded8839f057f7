package io.asynq4j.service.gearman.session;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.gearman.job.AssignedJob;
import io.asynq4j.service.gearman.job.ClaimRequest;
import io.asynq4j.service.gearman.job.JobPriority;
import io.asynq4j.service.gearman.job.JobSubmitter;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A peer in its role as a worker: its functions, its requests for jobs, and its sleep. Only for the
 * event loop's thread.
 */
public final class WorkerSession {

  private static final Logger log = LoggerFactory.getLogger(WorkerSession.class);

  private final PeerSession session;
  private final PeerConnection connection;
  private final GatewayComponents gateway;

  /** The functions that the worker offers, each with its timeout for one job; null = none. */
  private final Map<String, @Nullable Duration> abilities = new LinkedHashMap<>();

  private final WorkerJobs jobs;
  private boolean sleeping;

  WorkerSession(PeerSession session, PeerConnection connection, GatewayComponents gateway) {
    this.session = session;
    this.connection = connection;
    this.gateway = gateway;
    this.jobs = new WorkerJobs(session, gateway);
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
    if (gateway.functions().isForWorkers(function)) {
      abilities.put(function, timeout);
      updateSleep();
      return;
    }
    // The next requests may depend on it.
    PeerConnection.ResponseSlot slot = connection.reserve(0);
    session.suspend();
    gateway.lookUp(
        gateway.functions().servers().ofDefinitions(),
        () -> gateway.functions().requireForWorkers(function),
        definition -> {
          abilities.put(function, timeout);
          slot.skip();
          updateSleep();
          session.resume();
        },
        refusal -> {
          log.info(
              "a worker at {} cannot offer the function \"{}\": {}",
              connection.address(),
              function,
              refusal.text());
          slot.refuse(refusal);
          session.resume();
        });
  }

  void resetAbilities() {
    abilities.clear();
    updateSleep();
  }

  void cannotDo(String function) {
    abilities.remove(function);
    updateSleep();
  }

  /** Lets a sleeping worker sleep on other queues when its functions have changed. */
  private void updateSleep() {
    if (sleeping) {
      stopSleeping();
      sleep();
    }
  }

  /** By queue, the highest priority first; no function is always the last. */
  private Map<String, String> functionsByQueue() {
    List<String> order = new ArrayList<>(abilities.keySet());
    Collections.shuffle(order);
    Map<String, String> byQueue = new LinkedHashMap<>();
    for (JobPriority priority : JobPriority.values()) {
      for (String function : order) {
        gateway
            .functions()
            .queue(function, priority)
            .ifPresent(queue -> putFunction(byQueue, queue, function, priority));
      }
    }
    return byQueue;
  }

  /** Where a worker offers {@code a} and {@code a:high}, jobs of the latter have that name. */
  private void putFunction(
      Map<String, String> byQueue, String queue, String function, JobPriority priority) {
    String own = priority.nameOf(function);
    byQueue.putIfAbsent(queue, abilities.containsKey(own) ? own : function);
  }

  void requestJob(PacketType command) {
    stopSleeping();
    PeerConnection.ResponseSlot slot = connection.reserve(0);
    Map<String, String> functions = functionsByQueue();
    ClaimRequest request = new ClaimRequest(this, slot, command, functions);
    if (session.isDraining() || functions.isEmpty()) {
      noJob(request);
    } else {
      gateway.claimer().add(request);
    }
  }

  public void noJob(ClaimRequest request) {
    request.slot().answer(Packets.of(PacketType.NO_JOB));
  }

  /** Requeues a task that was claimed for this worker and cannot be started. */
  public void notStarted(ClaimRequest request, LeasedTask task) {
    noJob(request);
    gateway.jobs().requeue(task);
  }

  /** Sends a claimed task to this worker. */
  public void assigned(ClaimRequest request, LeasedTask task) {
    if (connection.isClosed() || session.isDraining()) {
      notStarted(request, task);
      return;
    }
    String function = request.functions().getOrDefault(task.queue().value(), task.task().type());
    AssignedJob job = jobs.add(task, timeLeft(task, function));
    request.slot().answer(assignment(request.command(), job, function));
  }

  private Duration timeLeft(LeasedTask task, String function) {
    Duration timeLeft = Duration.between(gateway.clock().instant(), task.deadline());
    Duration own = abilities.get(function);
    if (own != null) {
      timeLeft = shorter(timeLeft, own);
    }
    Duration defined =
        gateway.functions().ofQueue(task.queue().value()).map(TaskDefinition::timeout).orElse(null);
    return defined == null ? timeLeft : shorter(timeLeft, defined);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static ByteBuffer assignment(PacketType command, AssignedJob job, String function) {
    byte[] name = function.getBytes(StandardCharsets.UTF_8);
    byte[] data = job.task().task().payload().bytes();
    byte[] unique = JobSubmitter.uniqueOf(job.task().id(), job.task().task().headers());
    // GRAB_JOB_ALL differs from GRAB_JOB_UNIQ only for jobs with a reducer, which there are not.
    return command == PacketType.GRAB_JOB
        ? Packets.of(PacketType.JOB_ASSIGN, job.handle(), name, data)
        : Packets.of(PacketType.JOB_ASSIGN_UNIQ, job.handle(), name, unique, data);
  }

  void sleep() {
    if (gateway.claimer().sleep(this, Set.copyOf(functionsByQueue().keySet()))) {
      sleeping = true;
    } else {
      connection.send(Packets.of(PacketType.NOOP));
    }
  }

  private void stopSleeping() {
    if (sleeping) {
      sleeping = false;
      gateway.claimer().stopSleeping(this);
    }
  }

  /** Wakes the worker if it sleeps: there may be a job for it. */
  public void wake() {
    if (sleeping) {
      // It may have woken up and gone to sleep again since.
      stopSleeping();
      session.send(Packets.of(PacketType.NOOP));
    }
  }

  WorkerJobs jobs() {
    return jobs;
  }

  /** The functions that the worker offers. */
  Set<String> functions() {
    return abilities.keySet();
  }

  /** Handles the end of the connection. */
  void closed() {
    sleeping = false;
    gateway.claimer().stopSleeping(this);
    jobs.disconnected();
  }
}
