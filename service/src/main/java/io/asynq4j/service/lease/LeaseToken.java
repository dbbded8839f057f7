package io.asynq4j.service.lease;

import io.asynq4j.QueueName;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Opaque text that identifies a lease, with which any replica can extend or settle it. */
public final class LeaseToken {

  private LeaseToken() {}

  /** Encodes queue and ID with their lengths, as both may contain any character. */
  public static String of(LeasedTask task) {
    return of(new LeaseProof(task.queue().value(), task.id(), task.token()));
  }

  public static String of(LeaseProof proof) {
    String queue = proof.queue();
    String id = proof.id();
    String text = queue.length() + ":" + queue + id.length() + ":" + id + proof.token();
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Empty when the token is invalid. */
  public static Optional<LeaseProof> parse(String token) {
    try {
      String text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
      int queue = text.indexOf(':') + 1;
      int endOfQueue = queue + Integer.parseInt(text, 0, queue - 1, 10);
      int id = text.indexOf(':', endOfQueue) + 1;
      int endOfId = id + Integer.parseInt(text, endOfQueue, id - 1, 10);
      return Optional.of(
          new LeaseProof(
              QueueName.of(text.substring(queue, endOfQueue)).value(),
              text.substring(id, endOfId),
              text.substring(endOfId)));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }
}
