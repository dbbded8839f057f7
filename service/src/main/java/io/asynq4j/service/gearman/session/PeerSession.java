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
import java.util.Set;

/**
 * One peer: a client, a worker, both, or somebody with admin commands. Gives what it says to the
 * side that it is for. Only for the loop's thread.
 */
public final class PeerSession implements PeerConnection.Peer {

  private final PeerConnection connection;
  private final GatewayComponents parts;
  private final ClientSession client;
  private final WorkerSession worker;
  private final long startedAt = System.nanoTime();

  /** What came while an answer that the rest hangs on is being looked for. */
  private final Deque<RequestPacket> held = new ArrayDeque<>();

  private String clientId = "-";
  private boolean holding;
  private boolean draining;

  public PeerSession(PeerConnection connection, GatewayComponents parts) {
    this.connection = connection;
    this.parts = parts;
    this.client = new ClientSession(this, connection, parts);
    this.worker = new WorkerSession(this, connection, parts);
  }

  @Override
  public void request(RequestPacket request) {
    if (holding) {
      held.add(request);
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
              "SUBMIT_JOB_SCHED is not supported, and is not by gearmand: use SUBMIT_JOB_EPOCH,"
                  + " or give the task a schedule in its definition");
      case SUBMIT_REDUCE_JOB, SUBMIT_REDUCE_JOB_BG ->
          throw new GearmanException(
              "INVALID_COMMAND",
              request.command()
                  + " is not supported: hand in the parts as jobs, and reduce what they give");
      case GET_STATUS -> client.status(request.latin(0));
      case GET_STATUS_UNIQUE -> client.uniqueStatus(request.latin(0));
      case CAN_DO -> worker.canDo(request.name(0), null);
      case CAN_DO_TIMEOUT -> worker.canDo(request.name(0), WorkerSession.seconds(request.latin(1)));
      case CANT_DO -> worker.cannotDo(request.name(0));
      case RESET_ABILITIES -> worker.resetAbilities();
      case PRE_SLEEP -> worker.sleep();
      case GRAB_JOB, GRAB_JOB_UNIQ, GRAB_JOB_ALL -> worker.grab(request.command());
      case WORK_STATUS -> worker.workStatus(request);
      case WORK_DATA, WORK_WARNING -> worker.workData(request);
      case WORK_COMPLETE -> worker.workComplete(request);
      case WORK_FAIL -> worker.workFailed(request, null);
      case WORK_EXCEPTION -> worker.workFailed(request, request.bytes(1));
      default ->
          throw new GearmanException("INVALID_COMMAND", request.command() + " is not for servers");
    }
  }

  private static String printable(String text) {
    String some = text.substring(0, Math.min(text.length(), 200));
    return some.isBlank() ? "-" : some.replaceAll("[^\\x21-\\x7e]", "_");
  }

  /** Takes nothing in until {@link #goOn}. */
  void hold() {
    holding = true;
    connection.pause(true);
  }

  void goOn() {
    holding = false;
    while (!holding && !held.isEmpty() && !connection.isClosed()) {
      request(held.remove());
    }
    if (!holding) {
      connection.pause(false);
    }
  }

  @Override
  public void line(String line) {
    PeerConnection.ResponseSlot place = connection.reserve(line.length());
    new AdminCommand(parts, line).answer(place);
  }

  @Override
  public void tick(long now) {
    if (!connection.hasBeenHeard() && now - startedAt > parts.firstPacketWithin().toNanos()) {
      connection.close("it has said nothing");
    }
  }

  /** Sends what was not asked for. */
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

  /** Takes no more, finishes what it has, and goes. */
  public void drain() {
    draining = true;
    endIfIdle();
  }

  boolean isDraining() {
    return draining;
  }

  /** When it drains, and has finished. */
  void endIfIdle() {
    if (draining && !worker.hasJobs() && !client.isWaiting()) {
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
