package io.asynq4j.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Arguments of a command or script, as the bytes they travel in. Not thread-safe. */
final class Args {

  private static final byte[] NO = {'0'};
  private static final byte[] YES = {'1'};
  private static final byte[] EMPTY = {};

  private final List<byte[]> values;

  Args() {
    this.values = new ArrayList<>();
  }

  Args(int expected) {
    this.values = new ArrayList<>(expected);
  }

  Args add(byte[] value) {
    values.add(value);
    return this;
  }

  Args add(String value) {
    values.add(value.isEmpty() ? EMPTY : value.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  Args add(long value) {
    values.add(Long.toString(value).getBytes(StandardCharsets.US_ASCII));
    return this;
  }

  Args add(boolean value) {
    values.add(value ? YES : NO);
    return this;
  }

  Args addEmpty() {
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
