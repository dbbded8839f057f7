package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Message fields that this version does not know, kept so that they are written again. The order is
 * that of generated code: by number, then by type, then by arrival, with every number in its
 * shortest form. Not thread-safe.
 */
final class UnknownFields {

  private static final Comparator<Field> ORDER =
      Comparator.comparingInt((Field field) -> field.tag() >>> WireType.BITS)
          .thenComparingInt(field -> rank(WireType.of(field.tag())));

  private final WireWriter written = new WireWriter(0);
  private final List<Field> fields = new ArrayList<>();

  /** A field, by its position in the written bytes. */
  private record Field(int tag, int from, int to) {}

  /** Reads a field whose tag has been read. */
  void read(int tag, WireReader in) throws WireFormatException {
    int from = written.size();
    switch (WireType.of(tag)) {
      case WireType.VARINT -> written.number(tag, in.int64());
      case WireType.FIXED64 -> fixed(tag, in.raw(Long.BYTES));
      case WireType.FIXED32 -> fixed(tag, in.raw(Integer.BYTES));
      case WireType.BYTES -> written.bytes(tag, in.bytes());
      case WireType.START_GROUP -> {
        UnknownFields members = new UnknownFields();
        in.group(tag, member -> members.read(member, in));
        written.tag(tag);
        written.raw(members.toByteArray());
        written.tag(WireType.endOfGroup(tag));
      }
      default -> throw WireReader.invalid(tag);
    }
    fields.add(new Field(tag, from, written.size()));
  }

  /** Returns the fields as part of a message; absent if there are none. */
  Payload toPayload() {
    return fields.isEmpty() ? Payload.absent() : Payload.of(toByteArray());
  }

  private byte[] toByteArray() {
    WireWriter sorted = new WireWriter(written.size());
    fields.stream().sorted(ORDER).forEach(field -> sorted.raw(written, field.from(), field.to()));
    return sorted.toByteArray();
  }

  private void fixed(int tag, byte[] value) {
    written.tag(tag);
    written.raw(value);
  }

  private static int rank(int wireType) {
    return switch (wireType) {
      case WireType.VARINT -> 0;
      case WireType.FIXED32 -> 1;
      case WireType.FIXED64 -> 2;
      case WireType.BYTES -> 3;
      default -> 4;
    };
  }
}
