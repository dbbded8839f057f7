package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.text.TextExcerpt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes task messages in the format of asynq. The layout is that of {@code
 * core/src/test/protobuf/asynq.proto}.
 */
public final class MessageCodec {

  private static final int TYPE = 1 << WireType.BITS | WireType.BYTES;
  private static final int PAYLOAD = 2 << WireType.BITS | WireType.BYTES;
  private static final int ID = 3 << WireType.BITS | WireType.BYTES;
  private static final int QUEUE = 4 << WireType.BITS | WireType.BYTES;
  private static final int RETRY = 5 << WireType.BITS | WireType.VARINT;
  private static final int RETRIED = 6 << WireType.BITS | WireType.VARINT;
  private static final int ERROR_MSG = 7 << WireType.BITS | WireType.BYTES;
  private static final int TIMEOUT = 8 << WireType.BITS | WireType.VARINT;
  private static final int DEADLINE = 9 << WireType.BITS | WireType.VARINT;
  private static final int UNIQUE_KEY = 10 << WireType.BITS | WireType.BYTES;
  private static final int LAST_FAILED_AT = 11 << WireType.BITS | WireType.VARINT;
  private static final int RETENTION = 12 << WireType.BITS | WireType.VARINT;
  private static final int COMPLETED_AT = 13 << WireType.BITS | WireType.VARINT;
  private static final int GROUP_KEY = 14 << WireType.BITS | WireType.BYTES;
  private static final int HEADERS = 15 << WireType.BITS | WireType.BYTES;

  private static final int HEADER_NAME = 1 << WireType.BITS | WireType.BYTES;
  private static final int HEADER_VALUE = 2 << WireType.BITS | WireType.BYTES;

  /** Initial size, sufficient for most messages without payload, and for most headers. */
  private static final int USUAL_SIZE = 192;

  /** Limit for error texts: every retry writes the text again. */
  private static final int LONGEST_ERROR = 4096;

  private MessageCodec() {}

  public static byte[] encode(TaskMessage message) {
    WireWriter out = new WireWriter(USUAL_SIZE + message.payload().size());
    out.nonEmpty(TYPE, message.type());
    out.nonEmpty(PAYLOAD, message.payload());
    out.nonEmpty(ID, message.id());
    out.nonEmpty(QUEUE, message.queue().value());
    out.nonZero(RETRY, message.maxRetry());
    out.nonZero(RETRIED, message.retried());
    out.nonEmpty(ERROR_MSG, errorText(message.lastError()));
    out.nonZero(TIMEOUT, message.timeout().toSeconds());
    out.nonZero(DEADLINE, seconds(message.deadline()));
    out.nonEmpty(UNIQUE_KEY, message.uniqueKey());
    out.nonZero(LAST_FAILED_AT, seconds(message.lastFailedAt()));
    out.nonZero(RETENTION, message.retention().toSeconds());
    out.nonZero(COMPLETED_AT, seconds(message.completedAt()));
    out.nonEmpty(GROUP_KEY, message.group());
    if (!message.headers().isEmpty()) {
      // Sorted, so that equal messages have equal bytes.
      new TreeMap<>(message.headers()).forEach((name, value) -> writeHeader(name, value, out));
    }
    out.raw(message.unknownFields());
    return out.toByteArray();
  }

  private static void writeHeader(String name, String value, WireWriter out) {
    WireWriter header = new WireWriter(name.length() + value.length() + 8);
    header.string(HEADER_NAME, name);
    header.string(HEADER_VALUE, value);
    out.message(HEADERS, header);
  }

  /**
   * Decodes a message and verifies that it belongs to this task, since workers derive a task's keys
   * from its message.
   */
  public static TaskMessage decode(byte[] bytes, QueueName queue, String id)
      throws UnreadableMessageException {
    try {
      return read(new WireReader(bytes), queue, id);
    } catch (WireFormatException e) {
      throw new UnreadableMessageException("its message cannot be read: " + e.getMessage());
    }
  }

  private static TaskMessage read(WireReader in, QueueName expectedQueue, String expectedId)
      throws UnreadableMessageException {
    String type = "";
    Payload payload = Payload.absent();
    String id = "";
    String queue = "";
    int maxRetry = 0;
    int retried = 0;
    String lastError = "";
    long timeout = 0;
    long deadline = 0;
    String uniqueKey = "";
    long lastFailedAt = 0;
    long retention = 0;
    long completedAt = 0;
    String group = "";
    Map<String, String> headers = new HashMap<>();
    UnknownFields unknown = new UnknownFields();
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case TYPE -> type = in.string();
        case PAYLOAD -> payload = in.payload();
        case ID -> id = in.string();
        case QUEUE -> queue = in.string();
        case RETRY -> maxRetry = in.int32();
        case RETRIED -> retried = in.int32();
        case ERROR_MSG -> lastError = in.string();
        case TIMEOUT -> timeout = in.int64();
        case DEADLINE -> deadline = in.int64();
        case UNIQUE_KEY -> uniqueKey = in.string();
        case LAST_FAILED_AT -> lastFailedAt = in.int64();
        case RETENTION -> retention = in.int64();
        case COMPLETED_AT -> completedAt = in.int64();
        case GROUP_KEY -> group = in.string();
        case HEADERS -> readHeader(in.message(), headers);
        default -> unknown.read(tag, in);
      }
    }
    if (!id.equals(expectedId) || !queue.equals(expectedQueue.value())) {
      throw new UnreadableMessageException(
          "its message belongs to task \"" + id + "\" of queue \"" + queue + "\"");
    }
    if (type.isBlank()) {
      throw new UnreadableMessageException("its message has no task type");
    }
    return new TaskMessage(
        type,
        payload,
        expectedId,
        expectedQueue,
        maxRetry,
        retried,
        lastError,
        Duration.ofSeconds(timeout),
        instant(deadline),
        uniqueKey,
        instant(lastFailedAt),
        Duration.ofSeconds(retention),
        instant(completedAt),
        group,
        headers,
        unknown.toPayload());
  }

  private static void readHeader(WireReader in, Map<String, String> headers) {
    String name = "";
    String value = "";
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case HEADER_NAME -> name = in.string();
        case HEADER_VALUE -> value = in.string();
        default -> in.skip(tag);
      }
    }
    headers.put(name, value);
  }

  /**
   * Returns the text of an error in storable form: without unpaired surrogates, which Go cannot
   * read, and limited in length.
   */
  public static String errorText(String text) {
    String valid = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    return valid.length() <= LONGEST_ERROR ? valid : TextExcerpt.of(valid, LONGEST_ERROR) + "…";
  }

  private static long seconds(@Nullable Instant instant) {
    return instant == null ? 0 : instant.getEpochSecond();
  }

  private static @Nullable Instant instant(long seconds) {
    return seconds == 0 ? null : new WireTime(seconds, 0).toInstant();
  }
}
