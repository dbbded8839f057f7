package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

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

  /** Reads a field after its tag. */
  interface FieldReader {
    void read(int tag) throws WireFormatException;
  }

  /** Returns the tag of the next field, or 0 at the end of the message. */
  int tag() throws WireFormatException {
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
  int int32() throws WireFormatException {
    return (int) int64();
  }

  long int64() throws WireFormatException {
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

  String string() throws WireFormatException {
    int size = size();
    String text = new String(bytes, position, size, StandardCharsets.UTF_8);
    // The replacement character marks malformed bytes, but may also be part of the text.
    if (text.indexOf(REPLACEMENT) >= 0 && !isUtf8(ByteBuffer.wrap(bytes, position, size))) {
      throw new WireFormatException("a string is not valid UTF-8");
    }
    position += size;
    return text;
  }

  byte[] bytes() throws WireFormatException {
    return raw(size());
  }

  /** Reads bytes; absent if there are none, which is how an empty payload is stored. */
  Payload payload() throws WireFormatException {
    byte[] content = bytes();
    return content.length == 0 ? Payload.absent() : Payload.of(content);
  }

  /** Returns the next bytes unchanged. */
  byte[] raw(int size) throws WireFormatException {
    int from = position;
    advance(size);
    return Arrays.copyOfRange(bytes, from, position);
  }

  /** Returns a reader of the embedded message that comes next, and advances past it. */
  WireReader message() throws WireFormatException {
    int size = size();
    WireReader message = new WireReader(bytes, position, position + size, depth + 1);
    position += size;
    return message;
  }

  /** Reads the fields of a group whose start tag has been read, up to and including its end tag. */
  void group(int startTag, FieldReader fields) throws WireFormatException {
    if (depth >= MAX_DEPTH) {
      throw new WireFormatException("more than " + MAX_DEPTH + " nested messages or groups");
    }
    depth++;
    int endTag = WireType.endOfGroup(startTag);
    for (int tag = tag(); tag != endTag; tag = tag()) {
      if (tag == 0) {
        throw truncated();
      }
      fields.read(tag);
    }
    depth--;
  }

  /** Skips a field whose tag has been read. */
  void skip(int tag) throws WireFormatException {
    switch (WireType.of(tag)) {
      case WireType.VARINT -> int64();
      case WireType.FIXED64 -> advance(Long.BYTES);
      case WireType.FIXED32 -> advance(Integer.BYTES);
      case WireType.BYTES -> advance(size());
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

  private int size() throws WireFormatException {
    int size = int32();
    if (size < 0) {
      throw new WireFormatException("a size is negative");
    }
    if (size > end - position) {
      throw truncated();
    }
    return size;
  }

  private void advance(int size) throws WireFormatException {
    if (size > end - position) {
      throw truncated();
    }
    position += size;
  }

  private static boolean isUtf8(ByteBuffer text) {
    try {
      // Unlike String, a decoder reports what is malformed.
      StandardCharsets.UTF_8.newDecoder().decode(text);
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static WireFormatException truncated() {
    return new WireFormatException("the message ends inside a field");
  }
}
