package io.asynq4j.service.gearman.job;

import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.service.gearman.session.ClientSession;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The state of a job whose result clients of this gateway await. Guarded by its notifier. */
final class AwaitedJob {

  final JobKey key;

  /**
   * A number for each job that a client of this gateway submits, so that the end of one is not
   * mistaken for that of the next job with the same key; 0 = submitted elsewhere.
   */
  long generation;

  /** Each client once per submission: gearman clients wait for that many answers. */
  final List<ClientSession> clients = new ArrayList<>();

  /** The clients, in the same way, whose submission has not been confirmed. */
  final List<ClientSession> submitting = new ArrayList<>();

  /** Whether only clients that wait have submitted it: it is unwanted when all have left. */
  boolean foreground;

  /** Whether it is in Redis. */
  boolean enqueued;

  /** Whether a worker of this gateway has it. */
  boolean assignedHere;

  /** Whether another gateway forwards its progress. */
  boolean forwarded;

  /** Number of messages that other gateways have sent about it. */
  long messages;

  /** Whether all messages that other gateways sent about it before have arrived. */
  boolean upToDate;

  /** The last progress that a poll has found and the clients have received. */
  @Nullable Progress polledProgress;

  /** The result, for clients that were submitting it when it ended. */
  @Nullable Function<ClientSession, ByteBuffer> lastResult;

  AwaitedJob(JobKey key) {
    this.key = key;
  }

  boolean hasClients() {
    return !clients.isEmpty() || !submitting.isEmpty();
  }

  boolean has(ClientSession client) {
    return clients.contains(client) || submitting.contains(client);
  }

  void confirm(ClientSession client) {
    submitting.remove(client);
    clients.add(client);
    enqueued = true;
  }

  /** Forgets the job that ended: clients may be submitting the next one with the same key. */
  void end(Function<ClientSession, ByteBuffer> result) {
    clients.clear();
    generation = 0;
    foreground = false;
    enqueued = false;
    assignedHere = false;
    forwarded = false;
    upToDate = false;
    polledProgress = null;
    lastResult = result;
  }
}
