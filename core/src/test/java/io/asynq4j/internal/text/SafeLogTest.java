package io.asynq4j.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.fixture.FailingLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SafeLogTest {

  /** A text in a call: the JVM creates it when the call runs, outside of the try block. */
  private static final Pattern TEXT_IN_A_CALL =
      Pattern.compile("SafeLog\\s*\\.(?:error|warn|info)\\([^;]*?\"[^;]*;");

  /** Its text names the subscription, and its caller continues after an error. */
  private static final String ALLOWED = "the listener to ";

  @Test
  void messagesExistBeforeTheyAreNeeded() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path module : modules.filter(m -> Files.isDirectory(m.resolve("src/main"))).toList()) {
        try (Stream<Path> sources = Files.walk(module.resolve("src/main"))) {
          for (Path source : sources.filter(s -> s.toString().endsWith(".java")).toList()) {
            Matcher call = TEXT_IN_A_CALL.matcher(Files.readString(source));
            while (call.find()) {
              found.add(source + ": " + call.group());
            }
          }
        }
      }
    }
    assertThat(found).filteredOn(call -> !call.contains(ALLOWED)).isEmpty();
  }

  @Test
  void anErrorThatCannotBeLoggedIsNotThrown() {
    Throwable unprintable =
        new IllegalStateException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new OutOfMemoryError("on purpose");
          }
        };

    SafeLog.error(LoggerFactory.getLogger(SafeLogTest.class), "a message", unprintable);
    SafeLog.warn(LoggerFactory.getLogger(SafeLogTest.class), "{}: {}", "subject", unprintable);
    try (FailingLogs logs = new FailingLogs("tasks of default")) {
      SafeLog.info(
          LoggerFactory.getLogger(SafeLogTest.class), "{} tasks of {}", 2, QueueName.DEFAULT);
      assertThat(logs.count()).isEqualTo(1);
    }
  }
}
