package io.asynq4j.cli.dashboard;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates lines for the credentials file. Only the hash of a password or token is printed. */
@Command(
    name = "hash",
    description = {
      "Create a line for the credentials file of the dashboard, for a user or a token.",
      "Prompts for the password, or reads it from the standard input, and prints only its hash."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq dashboard hash anna --role admin",
      "  asynq dashboard hash otto --role operator --queues 'mail,report-*' < password.txt",
      "  asynq dashboard hash ci --token --role operator     # generate a token and print it once"
    })
final class DashboardHashCommand extends LocalCommand {

  @Parameters(paramLabel = "NAME", description = "Name of the user or token.")
  private String name = "";

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      description = "Role: viewer, operator or admin. Default: viewer.")
  private Role role = Role.VIEWER;

  @Option(
      names = "--queues",
      paramLabel = "PATTERN",
      split = ",",
      description =
          "Queues that the user or token may access; '*' matches any characters. Default: all.")
  private List<String> queues = List.of("*");

  @Option(
      names = "--token",
      description = "Generate a token for a program instead of reading a password.")
  private boolean token;

  @Override
  public Integer call() {
    try {
      Grant grant = new Grant(role, queues);
      String line = token ? newToken(grant) : newUser(grant);
      environment().out().println(line);
      environment().out().flush();
      return ExitCode.DONE;
    } catch (IllegalArgumentException e) {
      throw CliException.usage(String.valueOf(e.getMessage()), null);
    }
  }

  /** The token goes to the error output, so that a redirected output has only the line. */
  private String newToken(Grant grant) {
    Credentials.NewToken made = Credentials.newToken(name, grant);
    environment().err().println("Send it as 'Authorization: Bearer " + made.token() + "'");
    environment().err().println("The token is not shown again. Line for the credentials file:");
    return made.line();
  }

  private String newUser(Grant grant) {
    char[] password = password();
    try {
      return Credentials.newUser(name, grant, password);
    } finally {
      Arrays.fill(password, ' ');
    }
  }

  private char[] password() {
    Console console = environment().keyboard() ? System.console() : null;
    if (console != null) {
      char[] first = typed(console.readPassword("Password of %s: ", name));
      char[] second = typed(console.readPassword("Repeat the password: "));
      boolean isSame = Arrays.equals(first, second);
      Arrays.fill(second, ' ');
      if (!isSame) {
        throw CliException.failed("The passwords do not match", "Run the command again.");
      }
      return first;
    }
    try {
      String line =
          new BufferedReader(new InputStreamReader(environment().in(), StandardCharsets.UTF_8))
              .readLine();
      if (line == null) {
        throw CliException.usage(
            "Missing password: the standard input is empty",
            "Write the password to the standard input as one line.");
      }
      return line.toCharArray();
    } catch (IOException e) {
      throw CliException.failed("Cannot read the standard input: " + e.getMessage(), null);
    }
  }

  private static char[] typed(char @Nullable [] password) {
    if (password == null) {
      throw CliException.failed("No password entered", "Run the command again.");
    }
    return password;
  }
}
