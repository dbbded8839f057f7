package io.asynq4j.service.gearman.job;

import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import io.asynq4j.service.gearman.session.WorkerSession;
import java.util.Map;

/** A worker asks for a job. Each is one of its own, whatever another one says. */
public final class ClaimRequest {

  private final WorkerSession worker;
  private final PeerConnection.ResponseSlot place;
  private final PacketType command;
  private final Map<String, String> functions;

  /**
   * @param command which of the three ways to ask, and so to be answered
   * @param functions what it can do, by the queues where such jobs are; the most urgent first
   */
  public ClaimRequest(
      WorkerSession worker,
      PeerConnection.ResponseSlot place,
      PacketType command,
      Map<String, String> functions) {
    this.worker = worker;
    this.place = place;
    this.command = command;
    this.functions = functions;
  }

  WorkerSession worker() {
    return worker;
  }

  public PeerConnection.ResponseSlot place() {
    return place;
  }

  public PacketType command() {
    return command;
  }

  public Map<String, String> functions() {
    return functions;
  }
}
