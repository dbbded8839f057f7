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

  int size() {
    return size;
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

  /**
   * Begins an embedded message.
   *
   * @return what {@link #end} needs
   */
  int begin(int tag) {
    varint(Integer.toUnsignedLong(tag));
    // Space for the size; one byte suffices for most messages.
    ensure(1);
    size++;
    return size;
  }

  /** Ends an embedded message: everything written since {@link #begin} belongs to it. */
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

  /** Writes bytes unchanged. */
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

  /** Writes a range of the bytes of another writer. */
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
