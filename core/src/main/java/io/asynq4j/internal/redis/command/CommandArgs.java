package io.asynq4j.internal.redis.command;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Arguments of a command or script, encoded as bytes. Not thread-safe. */
public final class CommandArgs {

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
    return add(value.getBytes(StandardCharsets.UTF_8));
  }

  public CommandArgs add(long value) {
    return add(Long.toString(value));
  }

  public CommandArgs add(boolean value) {
    return add(value ? "1" : "0");
  }

  public CommandArgs addEmpty() {
    return add("");
  }

  public int size() {
    return values.size();
  }

  public List<byte[]> values() {
    return values;
  }
}
