package io.asynq4j.dashboard;

import java.util.Optional;

/**
 * Makes payloads or results readable that are not JSON or text: protobuf, MessagePack, what is
 * compressed. Called by many threads at once.
 */
@FunctionalInterface
public interface PayloadFormatter {

  /**
   * A text for people; empty to leave it to the next formatter, and at last to the dashboard. What
   * it throws counts as empty.
   */
  Optional<String> format(String taskType, byte[] bytes);
}
