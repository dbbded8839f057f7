package io.asynq4j.internal.redis.script;

import java.util.Locale;

/** Script sources as they are sent to Redis, for programs that call them directly. */
public final class ShippedScripts {

  private ShippedScripts() {}

  /** Source of a script by the name of its file without {@code .lua}. */
  public static byte[] source(String file) {
    return Script.valueOf(file.toUpperCase(Locale.ROOT)).source();
  }
}
