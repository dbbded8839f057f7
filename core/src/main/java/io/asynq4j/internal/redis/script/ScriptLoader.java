package io.asynq4j.internal.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reads the script files. */
final class ScriptLoader {

  private ScriptLoader() {}

  /** Returns the text of a file under {@code lua}. */
  static String read(String file) {
    try (InputStream in = ScriptLoader.class.getResourceAsStream("lua/" + file + ".lua")) {
      if (in == null) {
        throw new IllegalStateException(
            "the script " + file + ".lua is missing from this jar; check how the jar was packaged");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the script " + file + ".lua", e);
    }
  }
}
