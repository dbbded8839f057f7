package io.asynq4j.service.gearman.job;

import io.asynq4j.service.gearman.protocol.PacketType;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import io.asynq4j.service.gearman.session.WorkerSession;
import java.util.Map;

/** The request of a worker for a job. Compared by identity. */
public final class ClaimRequest {

  private final WorkerSession worker;
  private final PeerConnection.ResponseSlot slot;
  private final PacketType command;
  private final Map<String, String> functions;

  /**
   * @param command one of the three packets that request a job; determines the answer
   * @param functions the functions of the worker by queue, the highest priority first
   */
  public ClaimRequest(
      WorkerSession worker,
      PeerConnection.ResponseSlot slot,
      PacketType command,
      Map<String, String> functions) {
    this.worker = worker;
    this.slot = slot;
    this.command = command;
    this.functions = functions;
  }

  WorkerSession worker() {
    return worker;
  }

  public PeerConnection.ResponseSlot slot() {
    return slot;
  }

  public PacketType command() {
    return command;
  }

  public Map<String, String> functions() {
    return functions;
  }
}
