package io.asynq4j.benchmarks.peers;

import java.io.Serializable;

/** A Redisson task. Redisson recreates its class from bytes, so it must not have static state. */
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
