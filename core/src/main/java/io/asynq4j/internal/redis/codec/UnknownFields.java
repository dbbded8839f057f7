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

  private static final List<Integer> ORDER_OF_TYPES =
      List.of(
          WireType.VARINT,
          WireType.FIXED32,
          WireType.FIXED64,
          WireType.BYTES,
          WireType.START_GROUP);

  private static final Comparator<Field> ORDER =
      Comparator.comparingInt((Field field) -> field.tag() >>> WireType.BITS)
          .thenComparingInt(field -> ORDER_OF_TYPES.indexOf(WireType.of(field.tag())));

  private final List<Field> fields = new ArrayList<>();

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Field(int tag, byte[] withTag) {}

  /** Reads a field whose tag has been read. */
  void read(int tag, WireReader in) {
    WireWriter out = new WireWriter(0);
    switch (WireType.of(tag)) {
      case WireType.VARINT -> out.number(tag, in.int64());
      case WireType.FIXED64 -> out.fixed(tag, in.raw(Long.BYTES));
      case WireType.FIXED32 -> out.fixed(tag, in.raw(Integer.BYTES));
      case WireType.BYTES -> out.bytes(tag, in.bytes());
      case WireType.START_GROUP -> {
        UnknownFields members = new UnknownFields();
        in.group(tag, member -> members.read(member, in));
        out.fixed(tag, members.toByteArray());
        out.fixed(WireType.endOfGroup(tag), new byte[0]);
      }
      default -> throw WireReader.invalid(tag);
    }
    fields.add(new Field(tag, out.toByteArray()));
  }

  /** Returns the fields as part of a message; absent if there are none. */
  Payload toPayload() {
    return fields.isEmpty() ? Payload.absent() : Payload.of(toByteArray());
  }

  private byte[] toByteArray() {
    WireWriter sorted = new WireWriter(0);
    fields.stream().sorted(ORDER).forEach(field -> sorted.raw(field.withTag()));
    return sorted.toByteArray();
  }
}
