package io.asynq4j.testing.internal;

import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.redis.script.Script;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads what the first test of a JVM needs, on other threads, while Redis starts: the JSON library
 * and the scripts take longer than that.
 */
final class WarmUp {

  private static final List<Script> FREQUENT =
      List.of(
          Script.ENQUEUE,
          Script.QUEUE_STATS,
          Script.LIST,
          Script.FORWARD,
          Script.EXPIRED,
          Script.RECLAIM,
          Script.EXPIRE,
          Script.TRIM,
          Script.SWEEP,
          Script.CLAIM,
          Script.COMPLETE,
          Script.SCHEDULE);

  private WarmUp() {}

  /** Starts to load and returns. */
  static void start() {
    run(() -> FREQUENT.stream().map(Script::source).toList());
    run(
        () ->
            TaskType.of("warm-up", Sample.class)
                .task(new Sample(1, List.of("text")), PayloadCodec.json()));
  }

  private record Sample(int number, List<String> texts) {}

  private interface Load {
    @Nullable Object load();
  }

  private static void run(Load load) {
    Thread thread =
        new Thread(
            () -> {
              try {
                Object unused = load.load();
              } catch (RuntimeException | LinkageError e) {
                // Such as a missing JSON library: only a test that needs it fails.
              }
            },
            "asynq4j-testing-warm-up");
    thread.setDaemon(true);
    thread.start();
  }
}
