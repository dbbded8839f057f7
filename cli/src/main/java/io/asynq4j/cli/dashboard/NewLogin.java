package io.asynq4j.cli.dashboard;

import io.asynq4j.cli.frame.ExitCode;
import io.asynq4j.cli.frame.Failure;
import io.asynq4j.cli.frame.LocalCommand;
import io.asynq4j.cli.frame.Words;
import io.asynq4j.cli.output.Column;
import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes one line: it goes to the output, the secret beside it, so that only the line is kept. */
abstract class NewLogin extends LocalCommand {

  @Parameters(paramLabel = "NAME", description = "The name, of letters, digits and @._+-")
  private String name = "";

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      completionCandidates = RoleWords.class,
      description = "viewer, operator or admin. Default: viewer")
  private Role role = Role.VIEWER;

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "PATTERN",
      description = "Only for these queues, like 'mail*'; may be given more than once.")
  private List<String> queues = List.of("*");

  static final class RoleWords extends Words {
    RoleWords() {
      super(Role.values());
    }
  }

  /**
   * A line, and what to say of it.
   *
   * @param about the secret, shown this once; empty when it is known
   */
  record Made(String line, String about) {}

  abstract Made make(String login, Grant grant);

  @Override
  protected final int run() {
    Made made;
    try {
      made = make(name, new Grant(role, queues));
      // What could not be read is refused here, and not when the dashboard starts.
      Credentials.of(List.of(made.line()));
    } catch (IllegalArgumentException e) {
      throw Failure.usage(
          String.valueOf(e.getMessage()),
          "'%s --help' shows how".formatted(spec().qualifiedName()));
    }
    options()
        .printer()
        .told(List.of(made), List.of(Column.of("Line", "line", Made::line)), Made::line);
    if (!made.about().isEmpty()) {
      surroundings().err().println(made.about());
    }
    return ExitCode.DONE;
  }
}
