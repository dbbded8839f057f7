package io.asynq4j.internal.broker.pubsub;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/**
 * What an operator tells our servers on the channel for cancellations. A Go server takes it for the
 * id of a task that it does not have.
 */
public sealed interface ControlMessage {

  String PREFIX = "asynq4j:";

  /** How it is said on the channel. */
  String text();

  /** A server is to claim nothing more. */
  record Quiet(String serverId) implements ControlMessage {
    @Override
    public String text() {
      return PREFIX + "quiet:" + serverId;
    }
  }

  /** A server is to stop. */
  record Stop(String serverId) implements ControlMessage {
    @Override
    public String text() {
      return PREFIX + "stop:" + serverId;
    }
  }

  /** Whoever runs a task is to cancel it, and do this with it then. */
  record Cancel(QueueName queue, String id, AfterCancel after) implements ControlMessage {
    @Override
    public String text() {
      String name =
          Base64.getUrlEncoder()
              .withoutPadding()
              .encodeToString(queue.value().getBytes(StandardCharsets.UTF_8));
      return PREFIX + "cancel:" + after.name().toLowerCase(Locale.ROOT) + ":" + name + ":" + id;
    }
  }

  /** Empty when it is none, and so the id of a task. */
  static Optional<ControlMessage> parse(String text) {
    if (!text.startsWith(PREFIX)) {
      return Optional.empty();
    }
    String[] words = text.split(":", 5);
    try {
      return switch (words[1]) {
        case "quiet" -> Optional.of(new Quiet(text.substring((PREFIX + "quiet:").length())));
        case "stop" -> Optional.of(new Stop(text.substring((PREFIX + "stop:").length())));
        case "cancel" -> Optional.of(cancel(words[2], words[3], words[4]));
        default -> Optional.empty();
      };
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  private static Cancel cancel(String after, String queue, String id) {
    byte[] name = Base64.getUrlDecoder().decode(queue);
    return new Cancel(
        QueueName.of(new String(name, StandardCharsets.UTF_8)),
        id,
        AfterCancel.valueOf(after.toUpperCase(Locale.ROOT)));
  }
}
