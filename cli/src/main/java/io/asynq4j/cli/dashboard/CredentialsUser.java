package io.asynq4j.cli.dashboard;

import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Grant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import picocli.CommandLine.Command;

/** Makes a password for a person. */
@Command(
    name = "user",
    description = {
      "Makes a password for a person, or takes the one that it is given as its input.",
      "The line goes to the output; a new password is shown beside it, once."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq credentials user anna --role admin >> credentials",
      "  asynq credentials user bert < password.txt >> credentials"
    })
final class CredentialsUser extends NewLogin {

  private static final int NEW_BYTES = 15;

  @Override
  Made make(String login, Grant grant) {
    String given = surroundings().keyboard() ? "" : given();
    String password = given.isEmpty() ? random() : given;
    String line =
        "user %s %s %s %s"
            .formatted(
                login,
                grant.role().name().toLowerCase(Locale.ROOT),
                String.join(",", grant.queues()),
                Credentials.hash(password.toCharArray()));
    return new Made(line, given.isEmpty() ? "The password, shown only now: " + password : "");
  }

  private String given() {
    try {
      return new String(surroundings().in().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the input cannot be read", e);
    }
  }

  private static String random() {
    byte[] bytes = new byte[NEW_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
