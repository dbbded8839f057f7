package io.asynq4j.inspect;

import io.asynq4j.internal.broker.Broker;
import java.time.Duration;

/** An inspector on a broker that a test has made, with a time that it sets. */
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
