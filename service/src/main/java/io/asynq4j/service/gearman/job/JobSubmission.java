package io.asynq4j.service.gearman.job;

import io.asynq4j.Payload;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import io.asynq4j.service.gearman.session.ClientSession;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that a client submits.
 *
 * @param slot receives the answer to the client
 * @param unique the unique key of the client, each byte as a char; may be empty
 * @param background whether the client does not wait for the result
 * @param at earliest time of execution; null = now
 */
public record JobSubmission(
    ClientSession client,
    PeerConnection.ResponseSlot slot,
    String function,
    JobPriority priority,
    String unique,
    Payload data,
    boolean background,
    @Nullable Instant at) {

  /** Unique key with which jobs with the same data are the same job. */
  private static final String BY_DATA = "-";

  /** The ID of its task: the same for all submissions of the same job. */
  String taskId() {
    if (unique.isEmpty()) {
      return JobKey.newId();
    }
    return unique.equals(BY_DATA) ? JobKey.digest(data.bytes()) : JobKey.idOfUnique(unique);
  }
}
