package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The fields of a protobuf message by number, for messages that are read rarely. Of a field that
 * occurs several times, the last value counts, and embedded messages are merged. Immutable.
 */
final class WireFields {

  /** Readers before the values of each tag. They stay there: each value is read by a copy. */
  private final Map<Integer, List<WireReader>> values = new HashMap<>();

  /** Fields of these messages as if they were one. */
  private WireFields(List<WireReader> messages) {
    for (WireReader in : messages) {
      for (int tag = in.tag(); tag != 0; tag = in.tag()) {
        values.computeIfAbsent(tag, any -> new ArrayList<>()).add(in.copy());
        in.skip(tag);
      }
    }
  }

  static WireFields of(byte[] message) {
    return new WireFields(List.of(new WireReader(message)));
  }

  private <T> List<T> all(int tag, Function<WireReader, T> reader) {
    return values.getOrDefault(tag, List.of()).stream()
        .map(value -> reader.apply(value.copy()))
        .toList();
  }

  private <T> T last(int tag, Function<WireReader, T> reader, T absent) {
    List<T> all = all(tag, reader);
    return all.isEmpty() ? absent : all.get(all.size() - 1);
  }

  long int64(int field) {
    return last(WireType.varint(field), WireReader::int64, 0L);
  }

  int int32(int field) {
    return (int) int64(field);
  }

  String string(int field) {
    return last(WireType.bytes(field), WireReader::string, "");
  }

  List<String> strings(int field) {
    return all(WireType.bytes(field), WireReader::string);
  }

  Payload payload(int field) {
    return last(WireType.bytes(field), WireReader::payload, Payload.absent());
  }

  List<WireFields> messages(int field) {
    return all(WireType.bytes(field), in -> new WireFields(List.of(in.message())));
  }

  WireTime time(int field) {
    WireFields time = new WireFields(all(WireType.bytes(field), WireReader::message));
    return new WireTime(time.int64(WireTime.SECONDS), time.int32(WireTime.NANOS));
  }
}
