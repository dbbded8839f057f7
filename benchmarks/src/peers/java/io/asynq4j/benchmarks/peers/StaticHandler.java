package io.asynq4j.benchmarks.peers;

import java.util.function.Consumer;

/** Static access to the handler, for tasks that a library creates in its own class loader. */
public final class StaticHandler {

  private static volatile Consumer<String> handler = text -> {};

  private StaticHandler() {}

  static void set(Consumer<String> newHandler) {
    handler = newHandler;
  }

  /** Passes a text to the handler. */
  public static void handle(String text) {
    handler.accept(text);
  }
}
