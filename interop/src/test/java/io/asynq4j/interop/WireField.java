package io.asynq4j.interop;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A field of a message as stored: neither sorted nor interpreted.
 *
 * @param hex all of its bytes, with those of its tag and its length
 * @param number its value if it is a number
 */
record WireField(int tag, String hex, long number) {

  /** In their order; together they are all bytes of the message. */
  static List<WireField> of(byte[] message) {
    List<WireField> fields = new ArrayList<>();
    try {
      CodedInputStream in = CodedInputStream.newInstance(message);
      while (!in.isAtEnd()) {
        int from = in.getTotalBytesRead();
        int tag = in.readTag();
        long number = 0;
        if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_VARINT) {
          number = in.readRawVarint64();
        } else {
          in.skipField(tag);
        }
        String hex = HexFormat.of().formatHex(message, from, in.getTotalBytesRead());
        fields.add(new WireField(WireFormat.getTagFieldNumber(tag), hex, number));
      }
    } catch (IOException e) {
      throw new AssertionError(HexFormat.of().formatHex(message), e);
    }
    return fields;
  }
}
