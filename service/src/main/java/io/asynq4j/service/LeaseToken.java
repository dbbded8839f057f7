package io.asynq4j.service;

import io.asynq4j.lease.LeasedTask;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** All that is needed to go on with a lease at any replica, as one opaque text. Immutable. */
record LeaseToken(String queue, String id, String token) {

  static String of(LeasedTask task) {
    ArrayNode parts = Json.MAPPER.createArrayNode();
    parts.add(task.queue().value()).add(task.id()).add(task.token());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(parts));
  }

  /** Empty when it is none of ours. */
  static Optional<LeaseToken> parse(String text) {
    try {
      JsonNode parts = Json.MAPPER.readTree(Base64.getUrlDecoder().decode(text));
      if (parts.isArray()
          && parts.size() == 3
          && parts.valueStream().allMatch(JsonNode::isString)
          && !parts.get(0).stringValue().isBlank()) {
        return Optional.of(
            new LeaseToken(
                parts.get(0).stringValue(),
                parts.get(1).stringValue(),
                parts.get(2).stringValue()));
      }
    } catch (IllegalArgumentException | JacksonException e) {
      // Said by the answer.
    }
    return Optional.empty();
  }

  /** Without the token: it does not belong in logs. */
  @Override
  public String toString() {
    return "LeaseToken[" + id + " of " + queue + "]";
  }
}
