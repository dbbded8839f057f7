package io.asynq4j.internal.redis.command;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Arguments of a command or script, encoded as bytes. Not thread-safe. */
public final class CommandArgs {

  private static final byte[] NO = {'0'};
  private static final byte[] YES = {'1'};
  private static final byte[] EMPTY = {};

  private final List<byte[]> values;

  public CommandArgs() {
    this.values = new ArrayList<>();
  }

  public CommandArgs(int expected) {
    this.values = new ArrayList<>(expected);
  }

  public CommandArgs add(byte[] value) {
    values.add(value);
    return this;
  }

  public CommandArgs add(String value) {
    return add(value.isEmpty() ? EMPTY : value.getBytes(StandardCharsets.UTF_8));
  }

  public CommandArgs add(long value) {
    return add(Long.toString(value));
  }

  public CommandArgs add(boolean value) {
    return add(value ? YES : NO);
  }

  public CommandArgs addEmpty() {
    return add(EMPTY);
  }

  public int size() {
    return values.size();
  }

  public List<byte[]> values() {
    return values;
  }
}
