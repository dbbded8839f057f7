package io.asynq4j.service.gearman.session;

import io.asynq4j.service.gearman.job.JobPriority;
import io.asynq4j.service.gearman.protocol.GearmanException;
import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.Packets;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import io.asynq4j.service.gearman.protocol.RequestPacket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;

/**
 * One peer: a client, a worker, both, or an administrator. Dispatches its packets to the role that
 * they are for. Only for the event loop's thread.
 */
public final class PeerSession implements PeerConnection.Peer {

  private final PeerConnection connection;
  private final GatewayComponents gateway;
  private final ClientSession client;
  private final WorkerSession worker;
  private final long startedAt = System.nanoTime();

  /** Packets that wait for the answer to an earlier one. */
  private final Deque<RequestPacket> waiting = new ArrayDeque<>();

  private String clientId = "-";
  private boolean suspended;
  private boolean draining;

  public PeerSession(PeerConnection connection, GatewayComponents gateway) {
    this.connection = connection;
    this.gateway = gateway;
    this.client = new ClientSession(this, connection, gateway);
    this.worker = new WorkerSession(this, connection, gateway);
  }

  /** Returns the session of a connection; empty until it was created. */
  public static Optional<PeerSession> of(PeerConnection connection) {
    return connection.peer() instanceof PeerSession session
        ? Optional.of(session)
        : Optional.empty();
  }

  @Override
  public void request(RequestPacket request) {
    if (suspended) {
      waiting.add(request);
      return;
    }
    try {
      handle(request);
    } catch (GearmanException refusal) {
      connection.reserve(0).refuse(refusal);
    }
  }

  private void handle(RequestPacket request) {
    switch (request.command()) {
      case ECHO_REQ -> connection.send(Packets.of(PacketType.ECHO_RES, request.bytes(0)));
      case OPTION_REQ -> client.option(request);
      case SET_CLIENT_ID -> clientId = printable(request.latin(0));
      case ALL_YOURS -> {
        // A promise to submit nothing; nothing follows from it.
      }
      case SUBMIT_JOB -> client.submit(request, JobPriority.NORMAL, false);
      case SUBMIT_JOB_BG -> client.submit(request, JobPriority.NORMAL, true);
      case SUBMIT_JOB_HIGH -> client.submit(request, JobPriority.HIGH, false);
      case SUBMIT_JOB_HIGH_BG -> client.submit(request, JobPriority.HIGH, true);
      case SUBMIT_JOB_LOW -> client.submit(request, JobPriority.LOW, false);
      case SUBMIT_JOB_LOW_BG -> client.submit(request, JobPriority.LOW, true);
      case SUBMIT_JOB_EPOCH -> client.submitLater(request);
      case SUBMIT_JOB_SCHED ->
          throw new GearmanException(
              "INVALID_COMMAND",
              "SUBMIT_JOB_SCHED is not supported, nor does gearmand support it: use"
                  + " SUBMIT_JOB_EPOCH, or set a schedule in the task definition");
      case SUBMIT_REDUCE_JOB, SUBMIT_REDUCE_JOB_BG ->
          throw new GearmanException(
              "INVALID_COMMAND",
              request.command()
                  + " is not supported: submit the parts as jobs, and reduce their results");
      case GET_STATUS -> client.status(request.latin(0));
      case GET_STATUS_UNIQUE -> client.uniqueStatus(request.latin(0));
      case CAN_DO -> worker.canDo(request.name(0), null);
      case CAN_DO_TIMEOUT -> worker.canDo(request.name(0), WorkerSession.seconds(request.latin(1)));
      case CANT_DO -> worker.cannotDo(request.name(0));
      case RESET_ABILITIES -> worker.resetAbilities();
      case PRE_SLEEP -> worker.sleep();
      case GRAB_JOB, GRAB_JOB_UNIQ, GRAB_JOB_ALL -> worker.requestJob(request.command());
      case WORK_STATUS -> worker.jobs().status(request);
      case WORK_DATA, WORK_WARNING -> worker.jobs().data(request);
      case WORK_COMPLETE -> worker.jobs().completed(request);
      case WORK_FAIL -> worker.jobs().failed(request, null);
      case WORK_EXCEPTION -> worker.jobs().failed(request, request.bytes(1));
      default ->
          throw new GearmanException("INVALID_COMMAND", request.command() + " is not for servers");
    }
  }

  private static String printable(String text) {
    String some = text.substring(0, Math.min(text.length(), 200));
    return some.isBlank() ? "-" : some.replaceAll("[^\\x21-\\x7e]", "_");
  }

  /** Handles no more packets until {@link #resume}. */
  void suspend() {
    suspended = true;
    connection.pause(true);
  }

  void resume() {
    suspended = false;
    while (!suspended && !waiting.isEmpty() && !connection.isClosed()) {
      request(waiting.remove());
    }
    if (!suspended) {
      connection.pause(false);
    }
  }

  @Override
  public void line(String line) {
    PeerConnection.ResponseSlot slot = connection.reserve(line.length());
    new AdminCommand(gateway, line).answer(slot);
  }

  @Override
  public void tick(long now) {
    if (!connection.hasReceived()
        && now - startedAt > gateway.config().firstPacketWithin().toNanos()) {
      connection.close("the peer has sent nothing");
    }
  }

  /** Sends a packet that is not an answer. */
  void send(ByteBuffer packet) {
    if (!connection.isClosed()) {
      connection.send(packet);
    }
  }

  @Override
  public void closed() {
    worker.closed();
    client.closed();
  }

  /** Accepts no more jobs, and disconnects when those it has are finished. */
  public void drain() {
    draining = true;
    closeIfDrained();
  }

  boolean isDraining() {
    return draining;
  }

  /** Disconnects a peer that drains and has no unfinished jobs. */
  void closeIfDrained() {
    if (draining && worker.jobs().isEmpty() && !client.isWaiting()) {
      connection.closeWhenWritten();
    }
  }

  /** For the list of workers. */
  String description() {
    StringBuilder text = new StringBuilder();
    text.append(connection.number()).append(' ').append(connection.address());
    text.append(' ').append(clientId).append(" :");
    worker.functions().forEach(function -> text.append(' ').append(function));
    return text.toString();
  }

  Set<String> functions() {
    return Set.copyOf(worker.functions());
  }
}
