package io.asynq4j.spring.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Resources and classes that the core looks up by name at run time. */
public final class CoreRuntimeHints implements RuntimeHintsRegistrar {

  static final String SCRIPTS = "io/asynq4j/internal/redis/script/lua/*.lua";

  /** Whether they are present decides which version of Jackson is used. */
  private static final List<String> JSON_MAPPERS =
      List.of(
          "tools.jackson.databind.json.JsonMapper", "com.fasterxml.jackson.databind.ObjectMapper");

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints.resources().registerPattern(SCRIPTS);
    for (String mapper : JSON_MAPPERS) {
      hints.reflection().registerTypeIfPresent(classLoader, mapper);
    }
  }
}
