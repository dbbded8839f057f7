package io.asynq4j.cli.task.option;

import io.asynq4j.Payload;
import io.asynq4j.cli.command.CliEnvironment;
import io.asynq4j.cli.command.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a payload from an argument: the text itself, a file or the standard input. */
public final class PayloadSource {

  private PayloadSource() {}

  /** {@code @@} at the start stands for a literal {@code @}. */
  public static Payload read(String given, CliEnvironment environment) {
    if (given.equals("-")) {
      try {
        return Payload.of(environment.in().readAllBytes());
      } catch (IOException e) {
        throw CliException.failed("Cannot read the standard input: " + e.getMessage(), null);
      }
    }
    if (given.startsWith("@@")) {
      return Payload.ofUtf8(given.substring(1));
    }
    return given.startsWith("@") ? file(given.substring(1)) : Payload.ofUtf8(given);
  }

  private static Payload file(String name) {
    Path path = Path.of(name);
    if (!Files.isRegularFile(path)) {
      throw CliException.usage(
          "File " + name + " does not exist",
          "Correct the path, or write @@ for a payload that starts with @.");
    }
    try {
      return Payload.of(Files.readAllBytes(path));
    } catch (IOException e) {
      throw CliException.failed("Cannot read file %s: %s".formatted(name, e.getMessage()), null);
    }
  }
}
