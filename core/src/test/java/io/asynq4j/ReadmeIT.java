package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The Java of the README is this, word for word, and it runs. */
class ReadmeIT {

  // types
  record WelcomeEmail(long userId, String language) {}

  static final TaskType<WelcomeEmail> WELCOME_EMAIL =
      TaskType.of("email:welcome", WelcomeEmail.class)
          .with(o -> o.queue("mail").maxRetry(5).timeout(Duration.ofMinutes(2)));

  // end of types

  @SuppressWarnings("SystemOut") // as a reader would try it
  private static void example() {
    // README
    try (EmbeddedRedis server = EmbeddedRedis.start();
        RedisConnection redis = RedisConnection.open(server.uri());
        TaskClient client = TaskClient.create(redis)) {
      client.enqueue(WELCOME_EMAIL, new WelcomeEmail(42, "en"));
      EnqueueResult again =
          client.enqueue(
              WELCOME_EMAIL,
              new WelcomeEmail(42, "en"),
              o -> o.processIn(Duration.ofHours(24)).uniqueFor(Duration.ofHours(1)));
      System.out.println(again.orThrow().state() + " until " + again.orThrow().nextProcessAt());
    }
    // end
  }

  @Test
  void theExampleRunsAndIsTheOneInTheReadme() throws IOException {
    example();

    Path source = Path.of("src/test/java", ReadmeIT.class.getName().replace('.', '/') + ".java");
    List<String> lines = Files.readAllLines(source);
    assertThat(squeezed(Files.readString(Path.of("../README.md"))))
        .contains(between(lines, "  // types", "  // end of types"))
        .contains(between(lines, "    // README", "    // end"));
  }

  private static String between(List<String> lines, String from, String to) {
    return squeezed(String.join("", lines.subList(lines.indexOf(from) + 1, lines.indexOf(to))));
  }

  private static String squeezed(String text) {
    return text.replaceAll("\\s", "");
  }
}
