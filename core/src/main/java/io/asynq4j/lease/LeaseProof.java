package io.asynq4j.lease;

/**
 * What a worker has to show to go on with a lease. Immutable.
 *
 * @param token of {@link LeasedTask#token()}
 */
public record LeaseProof(String queue, String id, String token) {

  /** Without the token: it does not belong in logs. */
  @Override
  public String toString() {
    return "LeaseProof[" + id + " of queue " + queue + "]";
  }
}
