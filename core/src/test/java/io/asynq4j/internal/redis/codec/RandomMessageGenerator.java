package io.asynq4j.internal.redis.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Timestamp;
import com.google.protobuf.WireFormat;
import io.asynq4j.internal.redis.codec.wire.WireSchedulerEntry;
import io.asynq4j.internal.redis.codec.wire.WireSchedulerEvent;
import io.asynq4j.internal.redis.codec.wire.WireServer;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.codec.wire.WireWorker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Random messages of all kinds, damaged ones, and sequences of fields that no encoder would write.
 */
final class RandomMessageGenerator {

  private static final List<String> WORDS =
      List.of("", "q", "low", "t:1", "id-1", "Queue(\"q\")", "é", "😀", "\uFFFD", "a b", "\u0000");

  private static final long[] NUMBERS = {
    0,
    1,
    -1,
    7,
    127,
    128,
    300,
    1_700_000_000,
    -62135596800L,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    1L << 32,
    (1L << 32) + 5,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  /** Texts that are not UTF-8: cut off, overlong, half characters, beyond the last one. */
  private static final int[][] BAD_TEXTS = {
    {0xff},
    {0x80},
    {0xc3},
    {0xc0, 0x80},
    {0xe2, 0x82},
    {0xed, 0xa0, 0x80},
    {0xed, 0xbf, 0xbf},
    {0xf0, 0x9f, 0x98},
    {0xf0, 0x80, 0x80, 0x80},
    {0xf4, 0x90, 0x80, 0x80},
    {'a', 0xfe, 'b'}
  };

  private static final int[] FIELD_NUMBERS = {16, 17, 100, 101, 102, 2047, 2048, (1 << 29) - 1};

  private final Random random;

  RandomMessageGenerator(long seed) {
    random = new Random(seed);
  }

  /** Such a message, alone or with others, mostly a valid one, or something else altogether. */
  byte[] bytes(Supplier<byte[]> message) {
    byte[] bytes = random.nextInt(3) == 0 ? fields(0) : message.get();
    for (int i = random.nextInt(4); i > 0; i--) {
      switch (random.nextInt(3)) {
        case 0 -> bytes = joined(bytes, field(0));
        case 1 -> bytes = joined(bytes, message.get());
        default -> bytes = joined(field(0), bytes);
      }
    }
    for (int i = random.nextInt(8) - 5; i > 0 && bytes.length > 0; i--) {
      bytes = damaged(bytes);
    }
    return bytes;
  }

  byte[] task() {
    WireTask.Builder task =
        WireTask.newBuilder()
            .setType(maybe(this::text, "t"))
            .setPayload(payload())
            .setId(maybe(this::text, "i"))
            .setQueue(maybe(this::text, "q"))
            .setRetry((int) number())
            .setRetried((int) number())
            .setErrorMsg(text())
            .setTimeout(number())
            .setDeadline(number())
            .setUniqueKey(text())
            .setLastFailedAt(number())
            .setRetention(number())
            .setCompletedAt(number())
            .setGroupKey(text());
    for (int i = random.nextInt(4); i > 0; i--) {
      task.putHeaders(text(), text().repeat(random.nextInt(20)));
    }
    return task.build().toByteArray();
  }

  byte[] server() {
    WireServer.Builder server =
        WireServer.newBuilder()
            .setHost(text())
            .setPid((int) number())
            .setServerId(text())
            .setConcurrency((int) number())
            .setStrictPriority(random.nextBoolean())
            .setStatus(text())
            .setActiveWorkerCount((int) number())
            .setHeartbeatMillis(number());
    for (int i = random.nextInt(4); i > 0; i--) {
      server.putQueues(text(), (int) number());
    }
    if (random.nextBoolean()) {
      server.setStartTime(time());
    }
    return server.build().toByteArray();
  }

  byte[] worker() {
    WireWorker.Builder worker =
        WireWorker.newBuilder()
            .setHost(text())
            .setPid((int) number())
            .setServerId(text())
            .setTaskId(text())
            .setTaskType(text())
            .setTaskPayload(payload())
            .setQueue(maybe(this::text, "q"));
    if (random.nextBoolean()) {
      worker.setStartTime(time()).setDeadline(time());
    }
    return worker.build().toByteArray();
  }

  byte[] entry() {
    WireSchedulerEntry.Builder entry =
        WireSchedulerEntry.newBuilder()
            .setId(text())
            .setSpec(text())
            .setTaskType(text())
            .setTaskPayload(payload());
    for (int i = random.nextInt(3); i > 0; i--) {
      entry.addEnqueueOptions(maybe(this::text, "Queue(\"q\")"));
    }
    if (random.nextBoolean()) {
      entry.setNextEnqueueTime(time()).setPrevEnqueueTime(time());
    }
    return entry.build().toByteArray();
  }

  byte[] event() {
    return WireSchedulerEvent.newBuilder()
        .setTaskId(text())
        .setEnqueueTime(time())
        .build()
        .toByteArray();
  }

  private Timestamp time() {
    return Timestamp.newBuilder().setSeconds(number()).setNanos((int) number()).build();
  }

  String text() {
    return WORDS.get(random.nextInt(WORDS.size()));
  }

  /** A text that may have half a character. */
  String anyText() {
    return random.nextInt(4) == 0 ? text() + (char) (0xd800 + random.nextInt(0x800)) : text();
  }

  long number() {
    return random.nextInt(4) == 0
        ? random.nextLong() >> random.nextInt(64)
        : NUMBERS[random.nextInt(NUMBERS.length)];
  }

  private ByteString payload() {
    byte[] payload = new byte[random.nextInt(8) == 0 ? random.nextInt(300) : random.nextInt(3)];
    random.nextBytes(payload);
    return ByteString.copyFrom(payload);
  }

  private String maybe(Supplier<String> other, String usual) {
    return random.nextInt(8) == 0 ? other.get() : usual;
  }

  private byte[] damaged(byte[] bytes) {
    int at = random.nextInt(bytes.length);
    byte[] before = Arrays.copyOf(bytes, at);
    byte[] from = Arrays.copyOfRange(bytes, at, bytes.length);
    return switch (random.nextInt(5)) {
      case 0 -> before;
      case 1 -> joined(before, Arrays.copyOfRange(bytes, at + 1, bytes.length));
      case 2 -> joined(before, joined(field(0), from));
      case 3 -> {
        from[0] = (byte) random.nextInt();
        yield joined(before, from);
      }
      default -> {
        from[0] ^= (byte) (1 << random.nextInt(8));
        yield joined(before, from);
      }
    };
  }

  private byte[] fields(int depth) {
    byte[] fields = {};
    for (int i = random.nextInt(5); i > 0; i--) {
      fields = joined(fields, field(depth));
    }
    return fields;
  }

  private byte[] field(int depth) {
    int number =
        random.nextInt(4) == 0
            ? FIELD_NUMBERS[random.nextInt(FIELD_NUMBERS.length)]
            : random.nextInt(16);
    // The known fields are all of these two.
    int type =
        random.nextInt(3) == 0
            ? random.nextInt(8)
            : random.nextBoolean() ? WireFormat.WIRETYPE_VARINT : 2;
    byte[] tag = varint((long) number << 3 | type);
    return switch (type) {
      case WireFormat.WIRETYPE_VARINT -> joined(tag, varint(number()));
      case WireFormat.WIRETYPE_FIXED64 -> joined(tag, raw(8));
      case WireFormat.WIRETYPE_FIXED32 -> joined(tag, raw(4));
      case WireFormat.WIRETYPE_LENGTH_DELIMITED -> joined(tag, sized(content(depth)));
      case WireFormat.WIRETYPE_START_GROUP ->
          joined(tag, joined(depth < 4 ? fields(depth + 1) : new byte[0], endOfGroup(number)));
      default -> tag;
    };
  }

  private byte[] endOfGroup(int number) {
    int other = random.nextInt(16) == 0 ? number + 1 : number;
    return varint((long) other << 3 | WireFormat.WIRETYPE_END_GROUP);
  }

  private byte[] content(int depth) {
    return switch (random.nextInt(8)) {
      case 0 -> badText();
      case 1, 2, 3 -> depth < 4 ? fields(depth + 1) : new byte[0];
      case 4 -> joined(new byte[] {10, 1, 'k'}, depth < 4 ? field(depth + 1) : new byte[0]);
      default -> ByteString.copyFromUtf8(text()).toByteArray();
    };
  }

  private byte[] badText() {
    int[] units = BAD_TEXTS[random.nextInt(BAD_TEXTS.length)];
    byte[] text = new byte[units.length];
    for (int i = 0; i < units.length; i++) {
      text[i] = (byte) units[i];
    }
    return text;
  }

  private byte[] sized(byte[] content) {
    long size = random.nextInt(40) == 0 ? content.length + number() : content.length;
    return joined(varint(size), content);
  }

  private byte[] raw(int size) {
    byte[] raw = new byte[size];
    random.nextBytes(raw);
    return raw;
  }

  /** A number in its shortest form, or now and then in a longer one, or too long. */
  private byte[] varint(long value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      out.writeUInt64NoTag(value);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] shortest = bytes.toByteArray();
    if (random.nextInt(20) != 0) {
      return shortest;
    }
    byte[] longer = Arrays.copyOf(shortest, shortest.length + 1 + random.nextInt(10));
    Arrays.fill(longer, shortest.length, longer.length, (byte) 0x80);
    longer[shortest.length - 1] |= (byte) 0x80;
    longer[longer.length - 1] = (byte) random.nextInt(random.nextBoolean() ? 1 : 0x80);
    return longer;
  }

  static byte[] joined(byte[] first, byte[] second) {
    byte[] joined = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, joined, first.length, second.length);
    return joined;
  }
}
