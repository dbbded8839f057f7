package io.asynq4j.cli.command;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Asks before something is done that cannot be taken back. */
public final class ConfirmationPrompt {

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask; needed where nobody is there to answer.")
  private boolean yes;

  public boolean isGiven() {
    return yes;
  }

  /** Returns whether to go on. Fails where nobody can be asked. */
  public boolean ask(Session session, String question) {
    CliEnvironment surroundings = session.surroundings();
    if (yes) {
      return true;
    }
    if (!surroundings.keyboard()) {
      throw CliException.usage(
          question + " Nobody is there to answer.", "say --yes if it is meant");
    }
    surroundings.err().print(question + " [y/N] ");
    surroundings.err().flush();
    String answer = line(surroundings.in()).strip().toLowerCase(Locale.ROOT);
    boolean agreed = answer.equals("y") || answer.equals("yes");
    if (!agreed) {
      session.note("Nothing was done.");
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
