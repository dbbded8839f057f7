package io.asynq4j.dashboard;

import java.util.Optional;

/**
 * Formats payloads or results that are not JSON or text, such as Protocol Buffers, MessagePack or
 * compressed data. Called concurrently.
 */
@FunctionalInterface
public interface PayloadFormatter {

  /**
   * Returns a readable text. If empty, the next formatter is used, and finally the default of the
   * dashboard. An exception counts as empty.
   */
  Optional<String> format(String taskType, byte[] bytes);
}
