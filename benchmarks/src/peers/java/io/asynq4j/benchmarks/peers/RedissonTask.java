package io.asynq4j.benchmarks.peers;

import java.io.Serializable;

/**
 * A task of Redisson's, which makes its class anew from bytes: it must not have state of its own.
 */
public final class RedissonTask implements Runnable, Serializable {

  private static final long serialVersionUID = 1;

  private String text = "";

  /** For the codec. */
  public RedissonTask() {}

  RedissonTask(String text) {
    this.text = text;
  }

  @Override
  public void run() {
    StaticHandler.handle(text);
  }
}
