package io.asynq4j.internal.broker.pubsub;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.internal.text.UrlSafeText;
import java.util.Locale;
import java.util.Optional;

/**
 * Operator commands to asynq4j servers on the cancellation channel. A Go server treats one as the
 * ID of an unknown task.
 */
public sealed interface ControlMessage {

  String PREFIX = "asynq4j:";

  /** Returns the text form on the channel. */
  String text();

  /** Makes a server stop claiming. */
  record Quiet(String serverId) implements ControlMessage {
    @Override
    public String text() {
      return PREFIX + "quiet:" + serverId;
    }
  }

  /** Makes a server stop. */
  record Stop(String serverId) implements ControlMessage {
    @Override
    public String text() {
      return PREFIX + "stop:" + serverId;
    }
  }

  /** Cancels a running task and determines what happens to it afterwards. */
  record Cancel(QueueName queue, String id, AfterCancel after) implements ControlMessage {
    @Override
    public String text() {
      String name = UrlSafeText.encode(queue.value());
      return PREFIX + "cancel:" + after.name().toLowerCase(Locale.ROOT) + ":" + name + ":" + id;
    }
  }

  /** Returns empty if the text is not a command, but the ID of a task. */
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
    return new Cancel(
        QueueName.of(UrlSafeText.decode(queue)),
        id,
        AfterCancel.valueOf(after.toUpperCase(Locale.ROOT)));
  }
}
