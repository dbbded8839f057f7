package io.asynq4j.internal.redis.codec;

/**
 * How a field of a protobuf message is stored: the low three bits of its tag. The other bits are
 * the field's number.
 */
final class WireType {

  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int BYTES = 2;
  static final int START_GROUP = 3;
  static final int END_GROUP = 4;
  static final int FIXED32 = 5;

  static final int BITS = 3;

  private WireType() {}

  static int of(int tag) {
    return tag & ((1 << BITS) - 1);
  }

  /** The tag that ends the group that this tag starts. */
  static int endOfGroup(int startTag) {
    return startTag + END_GROUP - START_GROUP;
  }
}
