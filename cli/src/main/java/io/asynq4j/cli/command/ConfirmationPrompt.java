package io.asynq4j.cli.command;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Asks for confirmation before an action that cannot be undone. */
public final class ConfirmationPrompt {

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask for confirmation. Required if the input is not a terminal.")
  private boolean yes;

  public boolean isGiven() {
    return yes;
  }

  /** Returns whether the user confirmed. Throws if the input is not a terminal. */
  public boolean ask(Session session, String question) {
    CliEnvironment environment = session.environment();
    if (yes) {
      return true;
    }
    if (!environment.keyboard()) {
      throw CliException.usage(
          question + " Cannot ask for confirmation: the input is not a terminal.",
          "Pass --yes to confirm.");
    }
    environment.err().print(question + " [y/N] ");
    environment.err().flush();
    String answer = line(environment.in()).strip().toLowerCase(Locale.ROOT);
    boolean agreed = answer.equals("y") || answer.equals("yes");
    if (!agreed) {
      session.note("Cancelled. Nothing was changed.");
    }
    return agreed;
  }

  private static String line(InputStream in) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
        line.write(b);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return line.toString(StandardCharsets.UTF_8);
  }
}
