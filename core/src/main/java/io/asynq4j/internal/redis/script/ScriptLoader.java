package io.asynq4j.internal.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the script files and their headers. */
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

  /** Returns the words of a line in the header of a script. Every script has KEYS and ARGV. */
  static List<String> header(String file, String script, String name) {
    Matcher line = Pattern.compile("^-- " + name + " +(.*)", Pattern.MULTILINE).matcher(script);
    if (line.find()) {
      return List.of(line.group(1).split(" ", -1));
    }
    if (!name.equals("ITEMS")) {
      throw new IllegalStateException(
          "the script "
              + file
              + ".lua has no line "
              + name
              + " in its header; check how the jar was packaged");
    }
    return List.of();
  }
}
