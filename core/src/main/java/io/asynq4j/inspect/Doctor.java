package io.asynq4j.inspect;

import io.asynq4j.broker.Broker;
import java.util.function.Predicate;

/**
 * Finds what does not fit together in Redis, and puts it right when told to. It may run while
 * servers work: each look and each repair is a small step, and a task that moves in the meantime is
 * left alone. Thread-safe.
 */
final class Doctor {

  private final Broker broker;

  Doctor(Broker broker) {
    this.broker = broker;
  }

  Diagnosis visit(DoctorOptions options) {
    return visit(options, progress -> true);
  }

  /**
   * @param goOn told of the progress after each step; the visit stops when it says no, and can be
   *     resumed
   */
  Diagnosis visit(DoctorOptions options, Predicate<DoctorProgress> goOn) {
    return new Visit(broker, options, goOn).make();
  }
}
