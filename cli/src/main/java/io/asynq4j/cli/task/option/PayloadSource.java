package io.asynq4j.cli.task.option;

import io.asynq4j.Payload;
import io.asynq4j.cli.command.CliEnvironment;
import io.asynq4j.cli.command.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A payload as it is given on the command line: itself, a file or the input. */
public final class PayloadSource {

  private PayloadSource() {}

  /** {@code @@} at the beginning stands for one that is no file. */
  public static Payload read(String given, CliEnvironment surroundings) {
    if (given.equals("-")) {
      try {
        return Payload.of(surroundings.in().readAllBytes());
      } catch (IOException e) {
        throw CliException.failed("The input cannot be read: " + e.getMessage(), null);
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
          "There is no file " + name, "correct it, or write @@ for a payload that begins with @");
    }
    try {
      return Payload.of(Files.readAllBytes(path));
    } catch (IOException e) {
      throw CliException.failed(
          "The file %s cannot be read: %s".formatted(name, e.getMessage()), null);
    }
  }
}
