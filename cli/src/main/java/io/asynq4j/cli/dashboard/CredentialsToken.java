package io.asynq4j.cli.dashboard;

import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Grant;
import picocli.CommandLine.Command;

/** Makes a token for a program. */
@Command(
    name = "token",
    description = {
      "Makes a token for a program.",
      "The line goes to the output; the token is shown beside it, once."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq credentials token prometheus >> credentials",
      "  asynq credentials token ci --role operator --queue 'report-*' >> credentials"
    })
final class CredentialsToken extends NewLogin {

  @Override
  Made make(String login, Grant grant) {
    Credentials.NewToken made = Credentials.newToken(login, grant);
    return new Made(
        made.line(),
        "The token, shown only now: %s\nTo be sent as: Authorization: Bearer TOKEN"
            .formatted(made.token()));
  }
}
