package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Reads the fields of a protobuf message in stored order. Accepts and rejects the same bytes as
 * generated protobuf classes. Not thread-safe.
 *
 * <p>Sizes are checked against the remaining bytes before memory is allocated.
 */
final class WireReader {

  /** The nesting limit of generated code. */
  private static final int MAX_DEPTH = 100;

  private static final int BITS_PER_BYTE = 7;
  private static final int MAX_VARINT_BITS = 64;
  private static final char REPLACEMENT = '\uFFFD';

  private final byte[] bytes;
  private final int end;
  private int position;

  /** Number of messages and groups that enclose the next field. */
  private int depth;

  WireReader(byte[] bytes) {
    this(bytes, 0, bytes.length, 0);
  }

  private WireReader(byte[] bytes, int start, int end, int depth) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
    this.depth = depth;
  }

  /** Returns a reader at the same position. */
  WireReader copy() {
    return new WireReader(bytes, position, end, depth);
  }

  /** Returns the tag of the next field, or 0 at the end of the message. */
  int tag() {
    if (position == end) {
      return 0;
    }
    int tag = int32();
    if (tag >>> WireType.BITS == 0) {
      throw new WireFormatException("a field has the invalid number 0");
    }
    return tag;
  }

  /** Drops the high bits of a number that is too large, as generated code does. */
  int int32() {
    return (int) int64();
  }

  long int64() {
    long value = 0;
    for (int shift = 0; shift < MAX_VARINT_BITS; shift += BITS_PER_BYTE) {
      if (position == end) {
        throw truncated();
      }
      byte next = bytes[position++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new WireFormatException("a varint is longer than 64 bits");
  }

  String string() {
    int size = int32();
    int start = advance(size);
    String text = new String(bytes, start, size, StandardCharsets.UTF_8);
    // The replacement character marks malformed bytes, but may also be part of the text.
    if (text.indexOf(REPLACEMENT) >= 0) {
      byte[] valid = text.getBytes(StandardCharsets.UTF_8);
      if (!Arrays.equals(valid, 0, valid.length, bytes, start, position)) {
        throw new WireFormatException("a string is not valid UTF-8");
      }
    }
    return text;
  }

  byte[] bytes() {
    return raw(int32());
  }

  /** Reads bytes; absent if there are none, which is how an empty payload is stored. */
  Payload payload() {
    byte[] content = bytes();
    return content.length == 0 ? Payload.absent() : Payload.of(content);
  }

  /** Returns the next bytes unchanged. */
  byte[] raw(int size) {
    int start = advance(size);
    return Arrays.copyOfRange(bytes, start, position);
  }

  /** Returns a reader of the embedded message that comes next, and advances past it. */
  WireReader message() {
    int start = advance(int32());
    return new WireReader(bytes, start, position, depth + 1);
  }

  /** Reads the fields of a group whose start tag has been read, up to and including its end tag. */
  void group(int startTag, IntConsumer fields) {
    if (depth >= MAX_DEPTH) {
      throw new WireFormatException("more than " + MAX_DEPTH + " nested messages or groups");
    }
    depth++;
    int endTag = WireType.endOfGroup(startTag);
    for (int tag = tag(); tag != endTag; tag = tag()) {
      if (tag == 0) {
        throw truncated();
      }
      fields.accept(tag);
    }
    depth--;
  }

  /** Skips a field whose tag has been read. */
  void skip(int tag) {
    switch (WireType.of(tag)) {
      case WireType.VARINT -> int64();
      case WireType.FIXED64 -> advance(Long.BYTES);
      case WireType.FIXED32 -> advance(Integer.BYTES);
      case WireType.BYTES -> advance(int32());
      case WireType.START_GROUP -> group(tag, this::skip);
      default -> throw invalid(tag);
    }
  }

  /** Returns the exception for a tag that cannot start a field. */
  static WireFormatException invalid(int tag) {
    return new WireFormatException(
        WireType.of(tag) == WireType.END_GROUP
            ? "a group ends that was not started"
            : "a field has the unknown wire type " + WireType.of(tag));
  }

  /** Advances past bytes and returns where they start. */
  private int advance(int size) {
    if (size < 0) {
      throw new WireFormatException("a size is negative");
    }
    if (size > end - position) {
      throw truncated();
    }
    position += size;
    return position - size;
  }

  private static WireFormatException truncated() {
    return new WireFormatException("the message ends inside a field");
  }
}
