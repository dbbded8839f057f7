package io.asynq4j.inspect;

import io.asynq4j.internal.broker.Broker;
import java.time.Duration;

/** Creates an inspector on the broker of a test, with a settable clock. */
public final class InspectorAccess {

  private InspectorAccess() {}

  public static Inspector broker(Broker broker) {
    return Inspector.builder(broker).build();
  }

  public static Inspector broker(Broker broker, int archiveSize, Duration archiveAge) {
    return Inspector.builder(broker)
        .archive(archive -> archive.maxSize(archiveSize).maxAge(archiveAge))
        .build();
  }
}
