package io.asynq4j.cli;

import io.asynq4j.cli.command.EnumCandidates;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a shell completion script. */
@Command(
    name = "completion",
    description = {
      "Print a shell completion script.",
      "To enable completion in new shells:",
      "  bash:  echo 'source <(asynq completion bash)' >> ~/.bashrc",
      "  zsh:   echo 'source <(asynq completion zsh)' >> ~/.zshrc",
      "  fish:  asynq completion fish > ~/.config/fish/completions/asynq.fish"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq completion bash > asynq-completion.sh",
      "  asynq completion zsh > asynq-completion.zsh",
      "  asynq completion fish > asynq.fish"
    })
final class CompletionCommand extends LocalCommand {

  /** Supported shells. */
  enum Shell {
    BASH,
    ZSH,
    FISH
  }

  static final class ShellCandidates extends EnumCandidates {
    ShellCandidates() {
      super(Shell.values());
    }
  }

  @Parameters(
      paramLabel = "SHELL",
      completionCandidates = ShellCandidates.class,
      description = "Shell: bash, zsh or fish.")
  private Shell shell = Shell.BASH;

  @Override
  public Integer call() {
    // The bash script also works in zsh.
    environment()
        .out()
        .print(
            shell == Shell.FISH
                ? FishCompletion.of(spec().root())
                : AutoComplete.bash("asynq", spec().root().commandLine()));
    return ExitCode.DONE;
  }
}
