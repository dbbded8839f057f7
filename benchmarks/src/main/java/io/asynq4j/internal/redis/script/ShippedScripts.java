package io.asynq4j.internal.redis.script;

import java.util.Locale;

/** The scripts as Redis gets them, for programs that call them with nothing around. */
public final class ShippedScripts {

  private ShippedScripts() {}

  /** The text of the script in a file under {@code lua}, by its name without {@code .lua}. */
  public static byte[] source(String file) {
    return Script.valueOf(file.toUpperCase(Locale.ROOT)).source();
  }
}
