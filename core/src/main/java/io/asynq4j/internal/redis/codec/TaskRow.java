package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.time.TimeMath;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task as {@code task.lua} and {@code list.lua} return it: its position, and the fields of its
 * record in the order of both scripts.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TaskRow(
    QueueName queue,
    String id,
    TaskState state,
    Instant now,
    String score,
    String lease,
    byte[] message,
    byte[] result,
    int crashes,
    String quarantine,
    String dueMillis,
    String holdUntilMillis,
    String pendingSinceNanos,
    String group,
    String progress) {

  /** Number of record fields. */
  public static final int FIELDS = 10;

  /**
   * Reads the fields from an offset in a reply. The state comes from the record, unless the
   * container determines it.
   */
  public static TaskRow of(
      QueueName queue,
      String id,
      @Nullable TaskState listedAs,
      Instant now,
      String score,
      String lease,
      List<@Nullable Object> reply,
      int from) {
    return new TaskRow(
        queue,
        id,
        listedAs != null ? listedAs : TaskState.ofWord(ReplyParser.text(reply.get(from + 1))),
        now,
        score,
        lease,
        ReplyParser.bytes(reply.get(from)),
        ReplyParser.bytes(reply.get(from + 2)),
        ReplyParser.count(reply.get(from + 3)),
        ReplyParser.text(reply.get(from + 4)),
        ReplyParser.text(reply.get(from + 5)),
        ReplyParser.text(reply.get(from + 6)),
        ReplyParser.text(reply.get(from + 7)),
        ReplyParser.text(reply.get(from + 8)),
        ReplyParser.text(reply.get(from + 9)));
  }

  public static Instant time(@Nullable Object micros) {
    long value = ReplyParser.number(micros);
    return Instant.ofEpochSecond(value / 1_000_000, value % 1_000_000 * 1000);
  }

  public TaskInfo info() throws UnreadableMessageException {
    if (message.length == 0) {
      throw new UnreadableMessageException("its record has no message");
    }
    return info(MessageCodec.decode(message, queue, id));
  }

  private TaskInfo info(TaskMessage stored) {
    return stored
        .info()
        .state(state)
        .lastError(quarantine.isEmpty() ? stored.lastError() : quarantine)
        .group(group.isEmpty() ? stored.group() : group)
        .nextProcessAt(nextProcessAt())
        .orphaned(isOrphaned())
        .result(result.length == 0 ? Payload.absent() : Payload.of(result))
        .crashes(crashes)
        .progress(ProgressField.parse(progress))
        .since(since(stored))
        .build();
  }

  /** Returns a value that changes when the task is deleted and enqueued again, or changes state. */
  public byte[] fingerprint() {
    byte[] head =
        (state.word() + " " + pendingSinceNanos + " ").getBytes(StandardCharsets.US_ASCII);
    byte[] all = Arrays.copyOf(head, head.length + message.length);
    System.arraycopy(message, 0, all, head.length, message.length);
    return all;
  }

  private @Nullable Instant since(TaskMessage stored) {
    return switch (state) {
      case PENDING -> ofNanos(pendingSinceNanos);
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
          TimeMath.ofMillis(ReplyParser.decimal(holdUntilMillis, (double) now.toEpochMilli()));
      case SCHEDULED, RETRY -> score.isEmpty() ? null : due(ReplyParser.second(score));
      default -> null;
    };
  }

  /**
   * Returns the exact time if it lies in the second of the score; otherwise it is a leftover of an
   * earlier state.
   */
  private Instant due(Instant second) {
    Instant exact = TimeMath.ofMillis(ReplyParser.decimal(dueMillis, 0));
    return exact.getEpochSecond() == second.getEpochSecond() ? exact : second;
  }

  private boolean isOrphaned() {
    return state == TaskState.ACTIVE
        && (lease.isEmpty()
            || ReplyParser.decimal(lease, 0) <= now.getEpochSecond() + now.getNano() / 1e9);
  }
}
