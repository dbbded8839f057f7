package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the fields of a protobuf message. Not safe for use by several threads. */
final class WireWriter {

  private static final int BITS_PER_BYTE = 7;
  private static final int LARGEST_IN_ONE_BYTE = 0x7f;
  private static final int MAX_VARINT_BYTES = 10;

  private byte[] bytes;
  private int size;

  /** A writer that grows beyond this size if necessary. */
  WireWriter(int expectedSize) {
    bytes = new byte[expectedSize];
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  int size() {
    return size;
  }

  /** Writes a number, even if it is 0. A negative one takes ten bytes, whatever its type. */
  void number(int tag, long value) {
    varint(Integer.toUnsignedLong(tag));
    varint(value);
  }

  /** Writes a number unless it is 0, which is what an absent one is read as. */
  void nonZero(int tag, long value) {
    if (value != 0) {
      number(tag, value);
    }
  }

  /** Writes a text, even if it is empty. Half characters become question marks. */
  void string(int tag, String value) {
    bytes(tag, value.getBytes(StandardCharsets.UTF_8));
  }

  void nonEmpty(int tag, String value) {
    if (!value.isEmpty()) {
      string(tag, value);
    }
  }

  void nonEmpty(int tag, Payload value) {
    if (value.size() > 0) {
      number(tag, value.size());
      raw(value);
    }
  }

  void bytes(int tag, byte[] value) {
    number(tag, value.length);
    raw(value);
  }

  /**
   * Begins an embedded message.
   *
   * @return what {@link #end} needs
   */
  int begin(int tag) {
    varint(Integer.toUnsignedLong(tag));
    // For the size; most messages need no more than one byte for it.
    ensure(1);
    size++;
    return size;
  }

  /** Ends an embedded message: all that was written since it began is part of it. */
  void end(int begin) {
    int length = size - begin;
    if (length > LARGEST_IN_ONE_BYTE) {
      byte[] content = Arrays.copyOfRange(bytes, begin, size);
      size = begin - 1;
      varint(length);
      raw(content);
    } else {
      bytes[begin - 1] = (byte) length;
    }
  }

  void tag(int tag) {
    varint(Integer.toUnsignedLong(tag));
  }

  /** Writes bytes as they are. */
  void raw(byte[] value) {
    raw(value, 0, value.length);
  }

  void raw(Payload value) {
    ByteBuffer view = value.view();
    int length = view.remaining();
    ensure(length);
    view.get(bytes, size, length);
    size += length;
  }

  /** Writes a part of what another writer has written. */
  void raw(WireWriter other, int from, int to) {
    raw(other.bytes, from, to - from);
  }

  private void raw(byte[] value, int from, int length) {
    ensure(length);
    System.arraycopy(value, from, bytes, size, length);
    size += length;
  }

  private void varint(long value) {
    ensure(MAX_VARINT_BYTES);
    long rest = value;
    while ((rest & ~LARGEST_IN_ONE_BYTE) != 0) {
      bytes[size++] = (byte) (rest | ~LARGEST_IN_ONE_BYTE);
      rest >>>= BITS_PER_BYTE;
    }
    bytes[size++] = (byte) rest;
  }

  private void ensure(int more) {
    if (more > bytes.length - size) {
      int needed = Math.addExact(size, more);
      bytes = Arrays.copyOf(bytes, Math.max(needed, bytes.length + (bytes.length >> 1)));
    }
  }
}
