package io.asynq4j.service.gearman.session;

import io.asynq4j.BrokerException;
import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a peer says and is told as a client: jobs that it hands in, and questions about them. Only
 * for the loop's thread.
 */
public final class ClientSession {

  private static final Logger log = LoggerFactory.getLogger(ClientSession.class);

  private static final String EXCEPTIONS = "exceptions";

  /** The end of the year 9999. */
  private static final long LATEST = 253_402_300_799L;

  /** For GET_STATUS_UNIQUE, which does not say of which function. */
  private static final int MOST_FUNCTIONS_SEARCHED = 300;

  private final PeerSession session;
  private final PeerConnection connection;
  private final GatewayComponents parts;
  private boolean wantsExceptions;

  ClientSession(PeerSession session, PeerConnection connection, GatewayComponents parts) {
    this.session = session;
    this.connection = connection;
    this.parts = parts;
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
    PeerConnection.ResponseSlot place = connection.reserve(request.size());
    parts
        .submitter()
        .add(
            new JobSubmission(
                this,
                place,
                function,
                priority,
                request.latin(1),
                Payload.of(data),
                background,
                at));
  }

  void status(String handle) {
    PeerConnection.ResponseSlot place = connection.reserve(0);
    AssignedJob job = parts.jobs().find(handle).orElse(null);
    if (job != null) {
      place.answer(statusPacket(handle, true, true, job.status()));
      return;
    }
    Optional<JobKey> key = parts.functions().keyOf(handle);
    lookUp(
        place,
        key.map(this::serverOf).orElse(""),
        () -> {
          TaskInfo task = key.map(this::find).orElse(null);
          return statusPacket(handle, isUnderWay(task), isRunning(task), statusOf(task));
        });
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
    PeerConnection.ResponseSlot place = connection.reserve(0);
    if (unique.isEmpty()) {
      place.answer(uniquePacket(unique, false, false, JobStatus.NONE, 0));
      return;
    }
    String id = JobKey.idOfUnique(unique);
    lookUp(
        place,
        parts.functions().servers().all(),
        () ->
            parts.functions().all().stream()
                .limit(MOST_FUNCTIONS_SEARCHED)
                .map(definition -> new JobKey(definition.queue().value(), id))
                .flatMap(key -> uniquePacket(unique, key).stream())
                .findFirst()
                .orElseGet(() -> uniquePacket(unique, false, false, JobStatus.NONE, 0)));
  }

  /** Empty when this is no job that is to be done. */
  private Optional<ByteBuffer> uniquePacket(String unique, JobKey key) {
    int clients = parts.results().clients(key);
    AssignedJob job = parts.jobs().find(key.handle()).orElse(null);
    if (job != null) {
      return Optional.of(uniquePacket(unique, true, true, job.status(), clients));
    }
    if (parts.inspector().count(key.queue(), List.of(key.id())) == 0) {
      return Optional.empty();
    }
    TaskInfo task = find(key);
    return isUnderWay(task)
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
      return parts.inspector().task(key.queue(), key.id());
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      return null;
    }
  }

  private static boolean isUnderWay(@Nullable TaskInfo task) {
    return task != null && !JobKey.hasEnded(task);
  }

  private static boolean isRunning(@Nullable TaskInfo task) {
    return task != null && task.state() == TaskState.ACTIVE;
  }

  private static JobStatus statusOf(@Nullable TaskInfo task) {
    Progress progress = isUnderWay(task) && task != null ? task.progress() : null;
    return progress == null ? JobStatus.NONE : JobStatus.of(progress);
  }

  private String serverOf(JobKey key) {
    return parts.functions().servers().of(key.queue());
  }

  /** Asks Redis elsewhere, and answers here. */
  private void lookUp(
      PeerConnection.ResponseSlot place, String server, Supplier<ByteBuffer> question) {
    parts
        .lookups()
        .execute(
            server,
            () -> {
              ByteBuffer answer;
              try {
                answer = question.get();
              } catch (RuntimeException e) {
                GearmanException refusal = GearmanException.of(e);
                parts.loop().execute(() -> place.refuse(refusal));
                return;
              }
              parts.loop().execute(() -> place.answer(answer));
            });
  }

  /** Sends what was not asked for. */
  public void send(ByteBuffer packet) {
    session.send(packet);
  }

  boolean isWaiting() {
    return parts.results().isWaiting(this);
  }

  /** A job of his is in. He may have gone meanwhile, which nobody knew to tell it. */
  public void handedIn() {
    if (connection.isClosed()) {
      closed();
    }
  }

  /** The connection has ended. */
  void closed() {
    List<JobKey> unwanted = parts.results().disconnected(this);
    if (!session.isDraining() && !unwanted.isEmpty()) {
      unwanted.stream()
          .collect(Collectors.groupingBy(this::serverOf))
          .forEach(
              (server, keys) ->
                  parts.lookups().execute(server, () -> keys.forEach(this::deleteUnlessBegun)));
    }
  }

  /** As in gearman: nobody is there for the result of a job that nobody has begun. */
  private void deleteUnlessBegun(JobKey key) {
    try {
      parts
          .inspector()
          .deleteIf(
              key.queue(),
              key.id(),
              task ->
                  isUnderWay(task)
                      && WaitingGatewaysHeader.isOnly(parts.talk().name(), task.headers()));
    } catch (TaskNotFoundException | QueueNotFoundException | TaskStateException e) {
      log.debug("task {} is left alone, though its client has gone", key.id());
    } catch (BrokerException e) {
      log.info("task {} will be executed, though its client has gone", key.id());
    }
  }
}
