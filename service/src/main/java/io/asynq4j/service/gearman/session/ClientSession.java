package io.asynq4j.service.gearman.session;

import io.asynq4j.BrokerException;
import io.asynq4j.Payload;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.service.gearman.job.AssignedJob;
import io.asynq4j.service.gearman.job.JobKey;
import io.asynq4j.service.gearman.job.JobPriority;
import io.asynq4j.service.gearman.job.JobSubmission;
import io.asynq4j.service.gearman.job.WaitingGatewaysHeader;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import io.asynq4j.service.gearman.protocol.RequestPacket;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A peer in its role as a client: the jobs that it submits, and its requests for their status. Only
 * for the event loop's thread.
 */
public final class ClientSession {

  private static final Logger log = LoggerFactory.getLogger(ClientSession.class);

  private static final String EXCEPTIONS = "exceptions";

  /** The end of the year 9999. */
  private static final long LATEST = 253_402_300_799L;

  /** For GET_STATUS_UNIQUE, which does not name the function. */
  private static final int MAX_FUNCTIONS_SEARCHED = 300;

  private final PeerSession session;
  private final PeerConnection connection;
  private final GatewayComponents gateway;
  private boolean wantsExceptions;

  ClientSession(PeerSession session, PeerConnection connection, GatewayComponents gateway) {
    this.session = session;
    this.connection = connection;
    this.gateway = gateway;
  }

  void option(RequestPacket request) {
    if (!request.latin(0).equals(EXCEPTIONS)) {
      throw new GearmanException("UNKNOWN_OPTION", "Server does not recognize given option");
    }
    wantsExceptions = true;
    connection.send(Packets.of(PacketType.OPTION_RES, request.bytes(0)));
  }

  public boolean wantsExceptions() {
    return wantsExceptions;
  }

  void submit(RequestPacket request, JobPriority priority, boolean background) {
    submit(request, request.bytes(2), priority, background, null);
  }

  void submitLater(RequestPacket request) {
    submit(request, request.bytes(3), JobPriority.NORMAL, true, time(request.latin(2)));
  }

  private static Instant time(String seconds) {
    try {
      long at = Long.parseLong(seconds.strip());
      if (at <= LATEST) {
        return Instant.ofEpochSecond(Math.max(at, 0));
      }
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw GearmanException.invalid(
        "SUBMIT_JOB_EPOCH needs a time in seconds since 1970, before the year 10000");
  }

  private void submit(
      RequestPacket request,
      byte[] data,
      JobPriority priority,
      boolean background,
      @Nullable Instant at) {
    if (session.isDraining()) {
      throw GearmanException.shuttingDown();
    }
    String function = request.name(0);
    PeerConnection.ResponseSlot slot = connection.reserve(request.size());
    gateway
        .submitter()
        .add(
            new JobSubmission(
                this,
                slot,
                function,
                priority,
                request.latin(1),
                Payload.of(data),
                background,
                at));
  }

  void status(String handle) {
    PeerConnection.ResponseSlot slot = connection.reserve(0);
    AssignedJob job = gateway.jobs().find(handle).orElse(null);
    if (job != null) {
      slot.answer(statusPacket(handle, true, true, job.status()));
      return;
    }
    Optional<JobKey> key = gateway.functions().keyOf(handle);
    gateway.lookUp(
        key.map(gateway::serverOf).orElse(""),
        () -> {
          TaskInfo task = key.map(this::find).orElse(null);
          return statusPacket(handle, isUnfinished(task), isRunning(task), statusOf(task));
        },
        slot::answer,
        slot::refuse);
  }

  private static ByteBuffer statusPacket(
      String handle, boolean known, boolean running, JobStatus status) {
    return Packets.of(
        PacketType.STATUS_RES,
        handle,
        flag(known),
        flag(running),
        Packets.latin(status.numerator()),
        Packets.latin(status.denominator()));
  }

  void uniqueStatus(String unique) {
    PeerConnection.ResponseSlot slot = connection.reserve(0);
    if (unique.isEmpty()) {
      slot.answer(uniquePacket(unique, false, false, JobStatus.NONE, 0));
      return;
    }
    String id = JobKey.idOfUnique(unique);
    gateway.lookUp(
        gateway.functions().servers().all(),
        () ->
            gateway.functions().all().stream()
                .limit(MAX_FUNCTIONS_SEARCHED)
                .map(definition -> new JobKey(definition.queue().value(), id))
                .flatMap(key -> uniquePacket(unique, key).stream())
                .findFirst()
                .orElseGet(() -> uniquePacket(unique, false, false, JobStatus.NONE, 0)),
        slot::answer,
        slot::refuse);
  }

  /** Empty when there is no such unfinished job. */
  private Optional<ByteBuffer> uniquePacket(String unique, JobKey key) {
    int clients = gateway.results().clients(key);
    AssignedJob job = gateway.jobs().find(key.handle()).orElse(null);
    if (job != null) {
      return Optional.of(uniquePacket(unique, true, true, job.status(), clients));
    }
    if (gateway.inspector().queue(key.queue()).count(List.of(key.id())) == 0) {
      return Optional.empty();
    }
    TaskInfo task = find(key);
    return isUnfinished(task)
        ? Optional.of(uniquePacket(unique, true, isRunning(task), statusOf(task), clients))
        : Optional.empty();
  }

  private static ByteBuffer uniquePacket(
      String unique, boolean known, boolean running, JobStatus status, int clients) {
    return Packets.of(
        PacketType.STATUS_RES_UNIQUE,
        unique,
        flag(known),
        flag(running),
        Packets.latin(status.numerator()),
        Packets.latin(status.denominator()),
        Packets.latin(Integer.toString(clients)));
  }

  private static byte[] flag(boolean value) {
    return Packets.latin(value ? "1" : "0");
  }

  private @Nullable TaskInfo find(JobKey key) {
    try {
      return gateway.inspector().queue(key.queue()).task(key.id());
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      return null;
    }
  }

  private static boolean isUnfinished(@Nullable TaskInfo task) {
    return task != null && !JobKey.hasEnded(task);
  }

  private static boolean isRunning(@Nullable TaskInfo task) {
    return task != null && task.state() == TaskState.ACTIVE;
  }

  private static JobStatus statusOf(@Nullable TaskInfo task) {
    Progress progress = isUnfinished(task) && task != null ? task.progress() : null;
    return progress == null ? JobStatus.NONE : JobStatus.of(progress);
  }

  /** Sends a packet that is not an answer. */
  public void send(ByteBuffer packet) {
    session.send(packet);
  }

  boolean isWaiting() {
    return gateway.results().isWaiting(this);
  }

  /** Records that a job was submitted; its client may have disconnected meanwhile. */
  public void submitted() {
    if (connection.isClosed()) {
      closed();
    }
  }

  /** Handles the end of the connection. */
  void closed() {
    List<JobKey> unwanted = gateway.results().disconnected(this);
    if (!session.isDraining() && !unwanted.isEmpty()) {
      unwanted.stream()
          .collect(Collectors.groupingBy(gateway::serverOf))
          .forEach(
              (server, keys) ->
                  gateway.lookups().execute(server, () -> keys.forEach(this::deleteUnlessStarted)));
    }
  }

  /** Deletes a job that was not started and whose result no client awaits, as gearmand does. */
  private void deleteUnlessStarted(JobKey key) {
    try {
      gateway
          .inspector()
          .queue(key.queue())
          .deleteIf(
              key.id(),
              task ->
                  isUnfinished(task)
                      && WaitingGatewaysHeader.isOnly(gateway.bus().name(), task.headers()));
    } catch (TaskNotFoundException | QueueNotFoundException | TaskStateException e) {
      log.debug("task {} is kept although its client has disconnected", key.id());
    } catch (BrokerException e) {
      log.info("task {} will be executed although its client has disconnected", key.id());
    }
  }
}
