package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.time.TimeMath;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task as {@code task.lua} and {@code list.lua} return it.
 *
 * @param fields the fields of its record in the order of both scripts
 */
public record TaskRow(
    QueueName queue,
    String id,
    TaskState state,
    Instant now,
    String score,
    String lease,
    List<@Nullable Object> fields) {

  private static final int MESSAGE = 0;

  /** The state in the record; a container may determine another one. */
  public static final int STATE = 1;

  private static final int RESULT = 2;
  private static final int CRASHES = 3;
  private static final int QUARANTINE = 4;
  private static final int DUE_MILLIS = 5;
  private static final int HOLD_UNTIL_MILLIS = 6;
  private static final int PENDING_SINCE_NANOS = 7;
  private static final int GROUP = 8;
  private static final int PROGRESS = 9;

  /** Number of record fields. */
  public static final int FIELDS = 10;

  private String text(int field) {
    return ReplyParser.text(fields.get(field));
  }

  public byte[] message() {
    return ReplyParser.bytes(fields.get(MESSAGE));
  }

  public String group() {
    return text(GROUP);
  }

  public static Instant time(@Nullable Object micros) {
    long value = ReplyParser.number(micros);
    return Instant.ofEpochSecond(value / 1_000_000, value % 1_000_000 * 1000);
  }

  public TaskInfo info() throws UnreadableMessageException {
    if (message().length == 0) {
      throw new UnreadableMessageException("its record has no message");
    }
    TaskMessage stored = MessageCodec.decode(message(), queue, id);
    String quarantine = text(QUARANTINE);
    byte[] result = ReplyParser.bytes(fields.get(RESULT));
    return stored
        .info()
        .state(state)
        .lastError(quarantine.isEmpty() ? stored.lastError() : quarantine)
        .group(group().isEmpty() ? stored.group() : group())
        .nextProcessAt(nextProcessAt())
        .orphaned(isOrphaned())
        .result(result.length == 0 ? Payload.absent() : Payload.of(result))
        .crashes(ReplyParser.count(fields.get(CRASHES)))
        .progress(ProgressField.parse(text(PROGRESS)))
        .since(since(stored))
        .build();
  }

  /** Returns a value that changes when the task is deleted and enqueued again, or changes state. */
  public byte[] fingerprint() {
    byte[] message = message();
    byte[] head =
        (state.word() + " " + text(PENDING_SINCE_NANOS) + " ").getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(head.length + message.length).put(head).put(message).array();
  }

  private @Nullable Instant since(TaskMessage stored) {
    return switch (state) {
      case PENDING -> ofNanos(text(PENDING_SINCE_NANOS));
      case RETRY -> stored.lastFailedAt();
      case COMPLETED -> stored.completedAt();
      case ARCHIVED, AGGREGATING -> score.isEmpty() ? null : ReplyParser.second(score);
      case ACTIVE, SCHEDULED -> null;
    };
  }

  /**
   * Returns null if the text is not a positive number. Go omits it when an inspector made a task
   * pending.
   */
  public static @Nullable Instant ofNanos(String nanos) {
    if (nanos.isEmpty()) {
      return null;
    }
    try {
      long value = Long.parseLong(nanos);
      return value <= 0 ? null : Instant.ofEpochSecond(0, value);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  public @Nullable Instant nextProcessAt() {
    return switch (state) {
      case PENDING ->
          TimeMath.ofMillis(
              ReplyParser.decimal(text(HOLD_UNTIL_MILLIS), (double) now.toEpochMilli()));
      case SCHEDULED, RETRY -> score.isEmpty() ? null : due(ReplyParser.second(score));
      default -> null;
    };
  }

  /**
   * Returns the exact time if it lies in the second of the score; otherwise it is a leftover of an
   * earlier state.
   */
  private Instant due(Instant second) {
    Instant exact = TimeMath.ofMillis(ReplyParser.decimal(text(DUE_MILLIS), 0));
    return exact.getEpochSecond() == second.getEpochSecond() ? exact : second;
  }

  private boolean isOrphaned() {
    return state == TaskState.ACTIVE
        && (lease.isEmpty()
            || ReplyParser.decimal(lease, 0) <= now.getEpochSecond() + now.getNano() / 1e9);
  }
}
