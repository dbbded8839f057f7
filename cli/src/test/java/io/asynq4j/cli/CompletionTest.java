package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionTest {

  @TempDir private Path home;

  @Test
  void bashCompletesCommandsAndOptions() throws Exception {
    assumeThat(Path.of("/bin/bash")).exists();
    Path script =
        Files.writeString(
            home.resolve("completion.sh"), new Cli(home).run("completion", "bash").out());
    String typed =
        """
        source %s
        complete() { :; }
        COMP_WORDS=(asynq queue pa); COMP_CWORD=2; COMP_LINE='asynq queue pa'; COMP_POINT=14
        _complete_asynq; echo "${COMPREPLY[@]}"
        COMP_WORDS=(asynq task list --qu); COMP_CWORD=3
        _complete_asynq; echo "${COMPREPLY[@]}"
        """
            .formatted(script);
    Process bash = new ProcessBuilder("/bin/bash", "-c", typed).redirectErrorStream(true).start();

    assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines())
        .containsExactly("pause", "--queue");
  }

  @Test
  void zshGetsAScriptThatItUnderstands() {
    assertThat(new Cli(home).run("completion", "zsh").out()).contains("bashcompinit", "zsh");
  }

  @Test
  void fishCompletesEveryCommandWithItsOptions() {
    assertThat(new Cli(home).run("completion", "fish").out())
        .contains(
            "complete -c asynq -f\n",
            "-a 'queue'",
            "-n '__fish_seen_subcommand_from queue; and not __fish_seen_subcommand_from list ls",
            "-a 'pause' -d 'Has servers take nothing more from queues'",
            "-n '__fish_seen_subcommand_from queue; and __fish_seen_subcommand_from remove rm"
                + " delete' -s f -l force",
            "-l redis -r")
        .doesNotContain("warm-up");
  }

  @Test
  void anUnknownShellIsRefused() {
    assertThat(new Cli(home).run("completion", "tcsh").exitCode()).isEqualTo(2);
  }
}
