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

/** Makes lines for the file of credentials: the only thing that is written down is a hash. */
@Command(
    name = "hash",
    description = {
      "Makes the line of a user or a token for the file of 'asynq dashboard --credentials'.",
      "The password is asked for, or read from the input; only its hash is shown."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq dashboard hash anna --role admin",
      "  asynq dashboard hash otto --role operator --queues 'mail,report-*' < password.txt",
      "  asynq dashboard hash ci --token --role operator     # makes a token up, and shows it once"
    })
final class DashboardHashCommand extends LocalCommand {

  @Parameters(paramLabel = "NAME", description = "Of the user, or of the token.")
  private String name = "";

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      description = "What may be done: viewer, operator or admin. Default: viewer")
  private Role role = Role.VIEWER;

  @Option(
      names = "--queues",
      paramLabel = "QUEUE,…",
      split = ",",
      description = "Which queues there are for them, * standing for anything. Default: all")
  private List<String> queues = List.of("*");

  @Option(names = "--token", description = "A token for a program, not a password for a person.")
  private boolean token;

  @Override
  public Integer call() {
    try {
      Grant grant = new Grant(role, queues);
      String line = token ? newToken(grant) : newUser(grant);
      surroundings().out().println(line);
      surroundings().out().flush();
      return ExitCode.DONE;
    } catch (IllegalArgumentException e) {
      throw CliException.usage(String.valueOf(e.getMessage()), null);
    }
  }

  /** The token stands beside the output, so that a redirected line goes into the file alone. */
  private String newToken(Grant grant) {
    Credentials.NewToken made = Credentials.newToken(name, grant);
    surroundings().err().println("Send it as 'Authorization: Bearer " + made.token() + "'");
    surroundings().err().println("It is shown only now. The line for the file:");
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
    Console console = surroundings().keyboard() ? System.console() : null;
    if (console != null) {
      char[] first = typed(console.readPassword("Password of %s: ", name));
      char[] second = typed(console.readPassword("Once more: "));
      boolean isSame = Arrays.equals(first, second);
      Arrays.fill(second, ' ');
      if (!isSame) {
        throw CliException.failed("The two passwords are not the same", "try again");
      }
      return first;
    }
    try {
      String line =
          new BufferedReader(new InputStreamReader(surroundings().in(), StandardCharsets.UTF_8))
              .readLine();
      if (line == null) {
        throw CliException.usage("There is no password", "write it into the input, in one line");
      }
      return line.toCharArray();
    } catch (IOException e) {
      throw CliException.failed("The input cannot be read: " + e.getMessage(), null);
    }
  }

  private static char[] typed(char @Nullable [] password) {
    if (password == null) {
      throw CliException.failed("No password was typed", null);
    }
    return password;
  }
}
