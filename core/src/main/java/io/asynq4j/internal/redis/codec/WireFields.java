package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a protobuf message by number, for messages that are read rarely. Of a field that
 * occurs several times, the last value counts, and embedded messages are merged. Immutable.
 */
final class WireFields {

  /** Readers before the values of each tag. They stay there: each value is read by a copy. */
  private final Map<Integer, List<WireReader>> values = new HashMap<>();

  /** Fields of these messages as if they were one. */
  private WireFields(List<WireReader> messages) throws WireFormatException {
    for (WireReader in : messages) {
      for (int tag = in.tag(); tag != 0; tag = in.tag()) {
        values.computeIfAbsent(tag, any -> new ArrayList<>()).add(in.copy());
        in.skip(tag);
      }
    }
  }

  static WireFields of(byte[] message) throws WireFormatException {
    return new WireFields(List.of(new WireReader(message)));
  }

  private interface ValueReader<T> {
    T read(WireReader in) throws WireFormatException;
  }

  private <T> List<T> all(int tag, ValueReader<T> reader) throws WireFormatException {
    List<T> all = new ArrayList<>();
    for (WireReader value : values.getOrDefault(tag, List.of())) {
      all.add(reader.read(value.copy()));
    }
    return all;
  }

  private <T> T last(int tag, ValueReader<T> reader, T absent) throws WireFormatException {
    List<T> all = all(tag, reader);
    return all.isEmpty() ? absent : all.get(all.size() - 1);
  }

  long int64(int field) throws WireFormatException {
    return last(WireType.varint(field), WireReader::int64, 0L);
  }

  int int32(int field) throws WireFormatException {
    return (int) int64(field);
  }

  String string(int field) throws WireFormatException {
    return last(WireType.bytes(field), WireReader::string, "");
  }

  List<String> strings(int field) throws WireFormatException {
    return all(WireType.bytes(field), WireReader::string);
  }

  Payload payload(int field) throws WireFormatException {
    return last(WireType.bytes(field), WireReader::payload, Payload.absent());
  }

  List<WireFields> messages(int field) throws WireFormatException {
    return all(WireType.bytes(field), in -> new WireFields(List.of(in.message())));
  }

  WireTime time(int field) throws WireFormatException {
    WireFields time = new WireFields(all(WireType.bytes(field), WireReader::message));
    return new WireTime(time.int64(WireTime.SECONDS), time.int32(WireTime.NANOS));
  }
}
