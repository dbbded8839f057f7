package io.asynq4j;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The input or result of a task as bytes, opaque to the queue. Immutable and safe to share between
 * threads.
 *
 * <p>An absent payload and an empty one are stored alike. In the protocol, however, they give a
 * unique task different locks.
 */
public final class Payload {

  private static final Payload ABSENT = new Payload(null);

  private final byte @Nullable [] bytes;

  private Payload(byte @Nullable [] bytes) {
    this.bytes = bytes;
  }

  /** Returns the absent payload. */
  public static Payload absent() {
    return ABSENT;
  }

  public static Payload of(byte[] bytes) {
    return new Payload(bytes.clone());
  }

  public static Payload ofUtf8(String text) {
    return new Payload(text.getBytes(StandardCharsets.UTF_8));
  }

  public boolean isPresent() {
    return bytes != null;
  }

  public int size() {
    return bytes == null ? 0 : bytes.length;
  }

  /** Returns a copy of the bytes; an empty array if the payload is absent. */
  public byte[] bytes() {
    return bytes == null ? new byte[0] : bytes.clone();
  }

  /** Returns the bytes as a read-only buffer, without copying them. */
  public ByteBuffer view() {
    return ByteBuffer.wrap(bytes == null ? new byte[0] : bytes).asReadOnlyBuffer();
  }

  public String utf8() {
    return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Payload that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Returns the size only, to keep payloads out of logs. */
  @Override
  public String toString() {
    return bytes == null ? "Payload[absent]" : "Payload[" + bytes.length + " bytes]";
  }
}
