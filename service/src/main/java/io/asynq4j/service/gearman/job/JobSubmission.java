package io.asynq4j.service.gearman.job;

import io.asynq4j.Payload;
import io.asynq4j.service.gearman.protocol.PeerConnection;
import io.asynq4j.service.gearman.session.ClientSession;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that a client hands in.
 *
 * @param place where its client is answered
 * @param unique what the client calls it, each byte as a char; may be empty
 * @param background nobody waits for its result
 * @param at not before then; null = at once
 */
public record JobSubmission(
    ClientSession client,
    PeerConnection.ResponseSlot place,
    String function,
    JobPriority priority,
    String unique,
    Payload data,
    boolean background,
    @Nullable Instant at) {

  /** A client says this when jobs with the same data are the same job. */
  private static final String BY_DATA = "-";

  /** The id of its task: the same for all that are to be one. */
  String taskId() {
    if (unique.isEmpty()) {
      return JobKey.anyId();
    }
    return unique.equals(BY_DATA) ? JobKey.digest(data.bytes()) : JobKey.idOfUnique(unique);
  }
}
