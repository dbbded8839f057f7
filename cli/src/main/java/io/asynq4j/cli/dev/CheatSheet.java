package io.asynq4j.cli.dev;

import io.asynq4j.cli.settings.RedactedRedisUrl;
import io.asynq4j.redis.RedisConfig;
import java.util.List;

/** Prints example commands to copy into another terminal. */
final class CheatSheet {

  private final RedisConfig redis;
  private final String program;
  private final String usual;
  private final DevConsole screen;

  /**
   * @param usual URL that commands use without flags
   */
  CheatSheet(RedisConfig redis, String usual, String program, DevConsole screen) {
    this.redis = redis;
    this.usual = usual;
    this.program = program;
    this.screen = screen;
  }

  void show(String where, String dashboard, List<String> queues, int concurrency) {
    String url = RedactedRedisUrl.of(redis);
    String flag = url.equals(usual) ? "" : " --redis " + url;
    screen.line("Redis      " + where);
    screen.line("dashboard  " + dashboard);
    screen.line(
        "server     %s %s, concurrency %d, handles demo:*"
            .formatted(
                queues.size() == 1 ? "queue" : "queues", String.join(", ", queues), concurrency));
    screen.line("");
    screen.line("In another terminal:");
    screen.line(
        "  %s task enqueue -t demo:hello -l '{\"sleepMillis\": 500, \"failures\": 1}'%s%s"
            .formatted(
                program,
                // Omit the default queue: the line is long enough.
                queues.get(0).equals("default") ? "" : " -q " + queues.get(0),
                flag));
    screen.line("  %s stats --watch%s".formatted(program, flag));
    screen.line("  %s task list -q %s -s retry%s".formatted(program, queues.get(0), flag));
    screen.line("From Java, for TaskClient.create(redis) and TaskServer.builder(redis):");
    screen.line("  RedisConnection redis = RedisConnection.open(\"" + url + "\");");
    if (!redis.endpoints().isEmpty() && redis.kind() == RedisConfig.Kind.STANDALONE) {
      screen.line("From Go, for asynq.NewClient(redis) and asynq.NewServer(redis, config):");
      screen.line(
          "  redis := asynq.RedisClientOpt{Addr: \"%s\", DB: %d}"
              .formatted(redis.endpoints().get(0), redis.database()));
    }
    screen.line("");
    screen.line("Press Ctrl-C to stop, twice to stop immediately");
  }
}
