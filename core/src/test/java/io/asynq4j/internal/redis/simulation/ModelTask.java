package io.asynq4j.internal.redis.simulation;

import io.asynq4j.fixture.RedisTextDump;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The expected record of a task. */
final class ModelTask {

  /** None when the original wrote a result for a task that was gone. */
  @Nullable WireTask message;

  /** All fields but the message. */
  final Map<String, String> fields = new TreeMap<>();

  /** Whether a Go process moved it last: then the weaker invariants hold. */
  boolean movedByGo;

  /** Whether a Go process left it in no container. */
  boolean strandedByGo;

  WireTask message() {
    if (message == null) {
      throw new IllegalStateException("the model has no message here");
    }
    return message;
  }

  String state() {
    return field("state");
  }

  String field(String name) {
    return fields.getOrDefault(name, "");
  }

  void set(String name, String value) {
    fields.put(name, value);
  }

  void unset(String... names) {
    for (String name : names) {
      fields.remove(name);
    }
  }

  String line() {
    Map<String, String> all = new TreeMap<>(fields);
    if (message != null) {
      all.put("msg", text(message));
    }
    return all.toString();
  }

  static String text(WireTask message) {
    return message.getQueue()
        + "/"
        + message.getId()
        + " "
        + RedisTextDump.message(message.toByteArray())
        + " "
        + message.getUniqueKey();
  }
}
