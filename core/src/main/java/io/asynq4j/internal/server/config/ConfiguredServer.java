package io.asynq4j.internal.server.config;

import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.server.TaskServerBuilder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a builder of a server was given: the one way from the public type to the internal ones, for
 * the test kit, which runs attempts without a server.
 */
public record ConfiguredServer(ServerConfig config, @Nullable Handler<Task> handler) {

  private static final AtomicReference<@Nullable Function<TaskServerBuilder, ConfiguredServer>>
      READER = new AtomicReference<>();

  /** Called by the builder. */
  public static void readBy(Function<TaskServerBuilder, ConfiguredServer> reader) {
    READER.set(reader);
  }

  public static ConfiguredServer of(TaskServerBuilder builder) {
    return Objects.requireNonNull(READER.get()).apply(builder);
  }
}
