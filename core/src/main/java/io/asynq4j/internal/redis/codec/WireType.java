package io.asynq4j.internal.redis.codec;

/**
 * Wire types of protobuf fields: the low three bits of a tag. The other bits are the field number.
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

  /** Returns the tag of a field with a number. */
  static int varint(int field) {
    return field << BITS | VARINT;
  }

  /** Returns the tag of a field with a string, bytes or an embedded message. */
  static int bytes(int field) {
    return field << BITS | BYTES;
  }

  static int of(int tag) {
    return tag & ((1 << BITS) - 1);
  }

  /** Returns the tag that ends the group of this start tag. */
  static int endOfGroup(int startTag) {
    return startTag + END_GROUP - START_GROUP;
  }
}
