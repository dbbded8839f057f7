package io.asynq4j.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.redis.RedisConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheatSheetTest {

  private static String shown(String here, String usual) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DevConsole screen =
        new DevConsole(new PrintStream(bytes, true, StandardCharsets.UTF_8), /* inPlace= */ false);
    new CheatSheet(RedisConfig.parse(here), usual, "./asynq", screen)
        .show(here, "left out", List.of("default"), 10);
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void commandsForTheCurrentContextNeedNoFlag() {
    assertThat(shown("redis://127.0.0.1:6379", "redis://127.0.0.1:6379"))
        .contains("./asynq stats --watch\n", "./asynq task enqueue -t demo:hello")
        .doesNotContain("--redis");
  }

  /** Else what is copied would be done to another Redis, perhaps one that matters. */
  @Test
  void commandsForAnotherRedisThanTheContextHaveAFlag() {
    assertThat(shown("redis://127.0.0.1:6379", "rediss://prod.example.com:6379").lines())
        .filteredOn(line -> line.startsWith("  ./asynq "))
        .hasSize(3)
        .allMatch(line -> line.endsWith(" --redis redis://127.0.0.1:6379"));
  }

  @Test
  void programsInJavaAndGoArePointedAtIt() {
    assertThat(shown("redis://127.0.0.1:7001/3", "redis://127.0.0.1:6379"))
        .contains("RedisConnection.open(\"redis://127.0.0.1:7001/3\")", "TaskServer.builder(redis)")
        .contains("asynq.RedisClientOpt{Addr: \"127.0.0.1:7001\", DB: 3}", "asynq.NewServer(");
    assertThat(shown("redis-cluster://127.0.0.1:7001", "redis://127.0.0.1:6379"))
        .contains("RedisConnection.open(\"redis-cluster://127.0.0.1:7001")
        .doesNotContain("RedisClientOpt");
  }
}
