package io.asynq4j.benchmarks.peers;

import java.util.function.Consumer;

/** Where tasks that a library makes anew in a class loader of its own find who handles them. */
public final class StaticHandler {

  private static volatile Consumer<String> handler = text -> {};

  private StaticHandler() {}

  static void set(Consumer<String> newHandler) {
    handler = newHandler;
  }

  /** Hands a text on. */
  public static void handle(String text) {
    handler.accept(text);
  }
}
