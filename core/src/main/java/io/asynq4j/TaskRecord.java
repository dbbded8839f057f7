package io.asynq4j;

import io.asynq4j.internal.codec.TextValidator;
import java.util.Map;

/** The values of a {@link Task}. */
record TaskRecord(String type, Payload payload, Map<String, String> headers) implements Task {

  TaskRecord {
    headers = Map.copyOf(headers);
    TextValidator.requireName(type, "task type");
    headers.forEach(TextValidator::requireHeader);
  }
}
