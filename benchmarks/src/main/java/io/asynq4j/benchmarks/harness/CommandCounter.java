package io.asynq4j.benchmarks.harness;

import java.util.concurrent.atomic.LongAdder;

/** Counts the commands in the byte stream of a client, in chunks of any size. */
public final class CommandCounter {

  private final LongAdder commands;
  private long strings;
  private long skip;
  private long number;
  private char kind;

  public CommandCounter(LongAdder commands) {
    this.commands = commands;
  }

  public void feed(byte[] bytes, int length) {
    int i = 0;
    while (i < length) {
      if (skip > 0) {
        int step = (int) Math.min(skip, length - i);
        skip -= step;
        i += step;
      } else {
        take((char) bytes[i++]);
      }
    }
  }

  private void take(char c) {
    if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
    } else if (c == '\n') {
      if (kind == '*') {
        strings = number;
      } else if (kind == '$') {
        // The text and its line end.
        skip = number + 2;
        if (--strings == 0) {
          commands.increment();
        }
      }
    } else if (c == '*' || c == '$') {
      kind = c;
      number = 0;
    }
  }
}
