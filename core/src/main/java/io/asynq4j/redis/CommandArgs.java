package io.asynq4j.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Arguments of a command or script, as the bytes they travel in. Not thread-safe. */
final class CommandArgs {

  private static final byte[] NO = {'0'};
  private static final byte[] YES = {'1'};
  private static final byte[] EMPTY = {};

  private final List<byte[]> values;

  CommandArgs() {
    this.values = new ArrayList<>();
  }

  CommandArgs(int expected) {
    this.values = new ArrayList<>(expected);
  }

  CommandArgs add(byte[] value) {
    values.add(value);
    return this;
  }

  CommandArgs add(String value) {
    values.add(value.isEmpty() ? EMPTY : value.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  CommandArgs add(long value) {
    values.add(Long.toString(value).getBytes(StandardCharsets.US_ASCII));
    return this;
  }

  CommandArgs add(boolean value) {
    values.add(value ? YES : NO);
    return this;
  }

  CommandArgs addEmpty() {
    values.add(EMPTY);
    return this;
  }

  int size() {
    return values.size();
  }

  List<byte[]> values() {
    return values;
  }
}
