package io.asynq4j.inspect;

import io.asynq4j.broker.Broker;
import java.util.function.Predicate;

/** A doctor on a broker that a test has made, with a time that it sets. */
public final class DoctorOn {

  private DoctorOn() {}

  public static Diagnosis visit(Broker broker, DoctorOptions options) {
    return new Doctor(broker).visit(options);
  }

  public static Diagnosis visit(
      Broker broker, DoctorOptions options, Predicate<DoctorProgress> goOn) {
    return new Doctor(broker).visit(options, goOn);
  }
}
