package io.asynq4j.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The Java of the README is this, word for word, and it runs. */
class ReadmeIT {

  @SuppressWarnings("SystemOut") // as a reader would try it
  private static void example() {
    // README
    try (EmbeddedRedis server = EmbeddedRedis.start();
        RedisConnection redis = RedisConnection.open(server.uri())) {
      System.out.println(
          "Redis answers in "
              + redis.ping().toMillis()
              + " ms; its clock says "
              + redis.clock().instant());
    }
    // end
  }

  @Test
  void theExampleRunsAndIsTheOneInTheReadme() throws IOException {
    example();

    Path source = Path.of("src/test/java", ReadmeIT.class.getName().replace('.', '/') + ".java");
    List<String> lines = Files.readAllLines(source);
    String code =
        String.join(
            "", lines.subList(lines.indexOf("    // README") + 1, lines.indexOf("    // end")));
    assertThat(Files.readString(Path.of("../README.md")).replaceAll("\\s", ""))
        .contains(code.replaceAll("\\s", ""));
  }
}
