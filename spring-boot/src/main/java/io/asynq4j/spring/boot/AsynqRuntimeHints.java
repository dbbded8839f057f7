package io.asynq4j.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The resources that a native image must contain: the scripts and the pages of the dashboard. */
final class AsynqRuntimeHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints
        .resources()
        .registerPattern("io/asynq4j/internal/redis/script/lua/*.lua")
        .registerPattern("io/asynq4j/dashboard/web/*")
        .registerPattern("io/asynq4j/dashboard/web/**");
  }
}
