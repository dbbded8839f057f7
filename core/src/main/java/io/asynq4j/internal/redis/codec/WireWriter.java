package io.asynq4j.internal.redis.codec;

import io.asynq4j.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the fields of a protobuf message. Not thread-safe. */
final class WireWriter {

  private static final int BITS_PER_BYTE = 7;
  private static final int LARGEST_IN_ONE_BYTE = 0x7f;
  private static final int MAX_VARINT_BYTES = 10;

  private byte[] bytes;
  private int size;

  /** Creates a writer with an initial size; it grows if necessary. */
  WireWriter(int expectedSize) {
    bytes = new byte[expectedSize];
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  /** Writes a number, even if it is 0. A negative number always takes ten bytes. */
  void number(int tag, long value) {
    varint(Integer.toUnsignedLong(tag));
    varint(value);
  }

  /** Writes a number unless it is 0, the default of an absent number. */
  void nonZero(int tag, long value) {
    if (value != 0) {
      number(tag, value);
    }
  }

  /** Writes a string, even if it is empty. Unpaired surrogates become question marks. */
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

  /** Writes an embedded message. */
  void message(int tag, WireWriter content) {
    number(tag, content.size);
    raw(content.bytes, content.size);
  }

  /** Writes bytes without their size. */
  void fixed(int tag, byte[] value) {
    varint(Integer.toUnsignedLong(tag));
    raw(value);
  }

  /** Writes bytes unchanged. */
  void raw(byte[] value) {
    raw(value, value.length);
  }

  private void raw(byte[] value, int length) {
    ensure(length);
    System.arraycopy(value, 0, bytes, size, length);
    size += length;
  }

  void raw(Payload value) {
    ByteBuffer view = value.view();
    int length = view.remaining();
    ensure(length);
    view.get(bytes, size, length);
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
