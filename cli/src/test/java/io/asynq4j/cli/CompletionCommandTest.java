package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionCommandTest {

  @TempDir private Path home;

  private Path script(String shell) throws IOException {
    return Files.writeString(
        home.resolve("completion." + shell), new CliRunner(home).run("completion", shell).out());
  }

  /** The output of a shell for this input. */
  private String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return output;
  }

  private static boolean isThere(String shell) {
    return Stream.of("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
        .anyMatch(directory -> Files.isExecutable(Path.of(directory + shell)));
  }

  @Test
  void bashCompletesCommandsOptionsAndValues() throws Exception {
    assumeTrue(isThere("bash"), "completion in bash: there is none");
    String typed =
        """
        source %s
        complete() { :; }
        compopt() { :; }
        COMP_WORDS=(asynq queue pa); COMP_CWORD=2; COMP_LINE='asynq queue pa'; COMP_POINT=14
        _complete_asynq; echo "${COMPREPLY[@]}"
        COMP_WORDS=(asynq task list --qu); COMP_CWORD=3
        _complete_asynq; echo "${COMPREPLY[@]}"
        COMP_WORDS=(asynq task list --state a); COMP_CWORD=4
        _complete_asynq; echo ${COMPREPLY[@]}
        """
            .formatted(script("bash"));

    assertThat(run("bash", "-c", typed).lines())
        .containsExactly("pause", "--queue", "active archived aggregating");
  }

  /** In a pseudo-terminal, with the Tab key. */
  @Test
  void zshCompletesCommandsAndOptions() throws Exception {
    assumeTrue(isThere("zsh"), "completion in zsh: there is none");
    String typed =
        """
        zmodload zsh/zpty
        zpty shell zsh -f -i
        wait_for() {
          out=
          repeat 200; do
            while zpty -rt shell part; do out+=$part; done
            if [[ $out == *$1* ]] { return }
            sleep 0.05
          done
          print -r -- "no $1 in: ${(V)out}"
        }
        zpty -w shell 'HOME=%s; cd; source %s; echo LOA""DED'
        wait_for LOADED
        zpty -w -n shell $'asynq queue pau\t'
        wait_for 'queue pause'
        zpty -w -n shell $'\\C-uasynq task list --que\t'
        wait_for 'list --queue'
        zpty -w -n shell $'\\C-uasynq expo\t'
        wait_for 'asynq exporter'
        zpty -d shell
        print completed
        """
            .formatted(home, script("zsh"));

    assertThat(run("zsh", "-f", "-c", typed)).isEqualTo("completed\n");
  }

  @Test
  void fishCompletesCommandsOptionsAndValues() throws Exception {
    assumeTrue(isThere("fish"), "completion in fish: there is none");
    String typed =
        """
        set -x HOME %s
        source %s
        complete -C 'asynq queue pa'
        complete -C 'asynq task list --qu'
        complete -C 'asynq task list --state arch'
        complete -C 'asynq queue rm --fo'
        complete -C 'asynq stats --output j'
        complete -C 'asynq completion f'
        complete -C 'asynq hel'
        """
            .formatted(home, script("fish"));

    assertThat(run("fish", "--no-config", "-c", typed).lines().map(line -> line.split("\t", 2)[0]))
        .containsExactly("pause", "--queue", "archived", "--force", "json", "fish", "help");
  }

  @Test
  void fishCompletionListsEveryCommandWithItsOptions() throws Exception {
    assertThat(Files.readString(script("fish")))
        .contains(
            "complete -c asynq -f\n",
            "-a 'queue'",
            "-n '__fish_seen_subcommand_from queue; and not __fish_seen_subcommand_from list ls",
            "-a 'pause' -d 'Pause queues'",
            "-n '__fish_seen_subcommand_from queue; and __fish_seen_subcommand_from remove rm"
                + " delete' -s f -l force",
            "-l redis -x",
            "-l config -r -F")
        .doesNotContain("warm-up", "%n");
  }

  @Test
  void anUnknownShellIsRefused() {
    Answer answer = new CliRunner(home).run("completion", "tcsh");
    assertThat(answer.exitCode()).isEqualTo(2);
    assertThat(answer.err()).contains("'tcsh' is not one of bash, zsh, fish");
  }
}
