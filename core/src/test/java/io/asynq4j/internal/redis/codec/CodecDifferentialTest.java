package io.asynq4j.internal.redis.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Our codec and protobuf's generated classes accept the same bytes, read the same from them and
 * write the same again. Replay a failure with {@code -Dasynq4j.seed=…}.
 */
class CodecDifferentialTest {

  private static final int ROUNDS = Boolean.getBoolean("asynq4j.full") ? 1_000_000 : 20_000;

  /** Ten bytes each of which says that the number goes on. */
  private static final int LONGEST_NUMBER = 10;

  /** What is made of the bytes of a message. */
  private record Reading(Object read, String written) {
    static final Reading REFUSED = new Reading("refused", "");

    static Reading of(Object read, byte[] written) {
      return new Reading(read, HexFormat.of().formatHex(written));
    }
  }

  private interface Decoder<T> {
    T decode(byte[] bytes)
        throws WireFormatException, UnreadableMessageException, InvalidProtocolBufferException;
  }

  private interface Encoder<T> {
    byte[] encode(T value);
  }

  private enum Kind {
    TASK {
      @Override
      byte[] message(RandomMessageGenerator random) {
        return random.task();
      }

      @Override
      Reading generated(byte[] bytes) {
        return reading(
            b -> task(b, ProtobufReferenceCodec::decode), ProtobufReferenceCodec::encode, bytes);
      }

      @Override
      Reading ours(byte[] bytes) {
        return reading(b -> task(b, MessageCodec::decode), MessageCodec::encode, bytes);
      }
    },
    SERVER {
      @Override
      byte[] message(RandomMessageGenerator random) {
        return random.server();
      }

      @Override
      Reading generated(byte[] bytes) {
        return reading(ProtobufReferenceCodec::decodeServer, ProtobufReferenceCodec::encode, bytes);
      }

      @Override
      Reading ours(byte[] bytes) {
        return reading(PresenceCodec::decodeServer, PresenceCodec::encode, bytes);
      }
    },
    WORKER {
      @Override
      byte[] message(RandomMessageGenerator random) {
        return random.worker();
      }

      @Override
      Reading generated(byte[] bytes) {
        return reading(ProtobufReferenceCodec::decodeWorker, ProtobufReferenceCodec::encode, bytes);
      }

      @Override
      Reading ours(byte[] bytes) {
        return reading(PresenceCodec::decodeWorker, PresenceCodec::encode, bytes);
      }
    },
    SCHEDULER_ENTRY {
      @Override
      byte[] message(RandomMessageGenerator random) {
        return random.entry();
      }

      @Override
      Reading generated(byte[] bytes) {
        return reading(
            ProtobufReferenceCodec::decodeSchedulerEntry, ProtobufReferenceCodec::encode, bytes);
      }

      @Override
      Reading ours(byte[] bytes) {
        return reading(PresenceCodec::decodeSchedulerEntry, PresenceCodec::encode, bytes);
      }
    },
    SCHEDULER_EVENT {
      @Override
      byte[] message(RandomMessageGenerator random) {
        return random.event();
      }

      @Override
      Reading generated(byte[] bytes) {
        return reading(
            ProtobufReferenceCodec::decodeSchedulerEvent, ProtobufReferenceCodec::encode, bytes);
      }

      @Override
      Reading ours(byte[] bytes) {
        return reading(PresenceCodec::decodeSchedulerEvent, PresenceCodec::encode, bytes);
      }
    };

    abstract byte[] message(RandomMessageGenerator random);

    abstract Reading generated(byte[] bytes);

    abstract Reading ours(byte[] bytes);
  }

  private static <T> Reading reading(Decoder<T> decoder, Encoder<T> encoder, byte[] bytes) {
    try {
      T read = decoder.decode(bytes);
      return Reading.of(read, encoder.encode(read));
    } catch (InvalidProtocolBufferException | WireFormatException e) {
      return Reading.REFUSED;
    } catch (UnreadableMessageException e) {
      String reason = String.valueOf(e.getMessage());
      return reason.startsWith("its message cannot be read: ")
          ? Reading.REFUSED
          : new Reading(reason, "");
    } catch (IllegalArgumentException e) {
      // What the message says is impossible, such as the name of a queue.
      return new Reading(String.valueOf(e.getMessage()), "");
    }
  }

  private interface TaskDecoder {
    TaskMessage decode(byte[] bytes, QueueName queue, String id)
        throws UnreadableMessageException, InvalidProtocolBufferException;
  }

  private static TaskMessage task(byte[] bytes, TaskDecoder decoder)
      throws UnreadableMessageException, InvalidProtocolBufferException {
    QueueName queue = QueueName.DEFAULT;
    String id = "";
    try {
      WireTask wire = WireTask.parseFrom(bytes);
      id = wire.getId();
      queue = QueueName.of(wire.getQueue());
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // Both have to find out.
    }
    return decoder.decode(bytes, queue, id);
  }

  private static byte[] random(Kind kind, long seed) {
    RandomMessageGenerator random = new RandomMessageGenerator(seed);
    return random.bytes(() -> kind.message(random));
  }

  private static long seed() {
    return Long.getLong("asynq4j.seed", ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
  }

  @ParameterizedTest
  @EnumSource
  void anyBytesAreReadAndWrittenAsByGeneratedCode(Kind kind) {
    long first = seed();
    int accepted = 0;
    for (long seed = first; seed < first + ROUNDS; seed++) {
      byte[] bytes = random(kind, seed);
      Reading expected = kind.generated(bytes.clone());
      Reading ours = kind.ours(bytes);

      if (!ours.equals(Reading.REFUSED) || !hasEndlessNumber(bytes)) {
        assertThat(ours)
            .as("seed %d: %s", seed, HexFormat.of().formatHex(bytes))
            .isEqualTo(expected);
      }
      if (!ours.written().isEmpty()) {
        accepted++;
      }
    }
    // Neither side of the question is left out.
    assertThat(accepted).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 10);
  }

  /**
   * Since 4.35, generated code reads the first ten bytes of some numbers that are longer than that.
   * Go, earlier versions and we refuse all of them.
   */
  private static boolean hasEndlessNumber(byte[] bytes) {
    int run = 0;
    for (byte each : bytes) {
      run = each < 0 ? run + 1 : 0;
      if (run == LONGEST_NUMBER) {
        return true;
      }
    }
    return false;
  }

  @Test
  void anyMessageIsWrittenAsByGeneratedCode() {
    long first = seed();
    for (long seed = first; seed < first + ROUNDS; seed++) {
      RandomMessageGenerator random = new RandomMessageGenerator(seed);
      TaskMessage task = task(random);
      Presence.Server server = server(random);

      assertThat(MessageCodec.encode(task))
          .as("seed %d", seed)
          .isEqualTo(ProtobufReferenceCodec.encode(task));
      assertThat(PresenceCodec.encode(server))
          .as("seed %d", seed)
          .isEqualTo(ProtobufReferenceCodec.encode(server));
    }
  }

  private static TaskMessage task(RandomMessageGenerator random) {
    return new TaskMessage(
        random.anyText(),
        Payload.ofUtf8(random.anyText()),
        random.anyText(),
        QueueName.DEFAULT,
        (int) random.number(),
        (int) random.number(),
        random.anyText(),
        Duration.ofSeconds(random.number()),
        instant(random),
        random.anyText(),
        instant(random),
        Duration.ofSeconds(random.number()),
        instant(random),
        random.anyText(),
        headers(random),
        Payload.absent());
  }

  private static Presence.Server server(RandomMessageGenerator random) {
    Map<String, Integer> queues = new HashMap<>();
    headers(random).forEach((name, value) -> queues.put(name, (int) random.number()));
    return new Presence.Server(
        random.anyText(),
        (int) random.number(),
        random.anyText(),
        (int) random.number(),
        queues,
        random.number() > 0,
        random.anyText(),
        instant(random),
        (int) random.number(),
        Duration.ofMillis(random.number()));
  }

  private static Map<String, String> headers(RandomMessageGenerator random) {
    Map<String, String> headers = new HashMap<>();
    LongStream.range(0, random.number() & 3)
        .forEach(i -> headers.put(random.anyText(), random.anyText()));
    return headers;
  }

  private static Instant instant(RandomMessageGenerator random) {
    return Instant.ofEpochSecond(random.number() >> 12, random.number() & 0xffffff);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 97, 98, 99, 100, 101, 102, 5_000})
  void groupsAreReadToTheSameDepth(int depth) {
    byte[] groups = groups(depth);
    Map<Kind, List<Integer>> embedded =
        Map.of(
            Kind.TASK, List.of(15),
            Kind.SERVER, List.of(5, 8),
            Kind.WORKER, List.of(8, 9),
            Kind.SCHEDULER_ENTRY, List.of(6, 7),
            Kind.SCHEDULER_EVENT, List.of(2));
    embedded.forEach(
        (kind, fields) -> {
          assertThat(kind.ours(groups)).as("%s", kind).isEqualTo(kind.generated(groups));
          for (int field : fields) {
            byte[] message = embedded(field, groups);
            assertThat(kind.ours(message))
                .as("%s %d", kind, field)
                .isEqualTo(kind.generated(message));
          }
        });
  }

  private static byte[] groups(int depth) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    // Of field 20.
    for (int i = 0; i < depth; i++) {
      bytes.writeBytes(new byte[] {(byte) 0xa3, 1});
    }
    for (int i = 0; i < depth; i++) {
      bytes.writeBytes(new byte[] {(byte) 0xa4, 1});
    }
    return bytes.toByteArray();
  }

  private static byte[] embedded(int field, byte[] content) {
    WireWriter out = new WireWriter(0);
    out.bytes(field << WireType.BITS | WireType.BYTES, content);
    return out.toByteArray();
  }
}
