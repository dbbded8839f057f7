package io.asynq4j.lease;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.LeaseOperations.LeaseRef;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A proof whose token can be read.
 *
 * @param position of the proof, where its answer goes
 */
record ParsedProof(int position, String id, LeasedTask.Token token) {

  LeaseRef ref() {
    return new LeaseRef(id, token.claim());
  }

  /** Those whose token can be read, by queue. */
  static Map<QueueName, List<ParsedProof>> byQueue(List<LeaseProof> proofs) {
    Map<QueueName, List<ParsedProof>> byQueue = new LinkedHashMap<>();
    for (int i = 0; i < proofs.size(); i++) {
      LeaseProof proof = proofs.get(i);
      int position = i;
      LeasedTask.Token.parse(proof.token())
          .ifPresent(
              token ->
                  byQueue
                      .computeIfAbsent(QueueName.of(proof.queue()), any -> new ArrayList<>())
                      .add(new ParsedProof(position, proof.id(), token)));
    }
    return byQueue;
  }
}
