package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.Cli.Answer;
import io.asynq4j.dashboard.Credentials;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsCommandTest {

  @TempDir private Path home;

  @Test
  void theLineIsTheOutputAndTheTokenIsBesideIt() {
    Answer answer =
        new Cli(home)
            .run("credentials", "token", "ci", "--role", "operator", "-q", "mail", "-q", "r-*");

    assertThat(answer.exitCode()).isZero();
    assertThat(answer.out()).startsWith("token ci operator mail,r-* pbkdf2-sha512:");
    assertThat(Credentials.of(answer.out().lines().toList()).toString()).contains("[ci]");
    assertThat(answer.err()).containsPattern("shown only now: ci\\.[0-9a-f]{64}\n");
  }

  @Test
  void aPasswordIsMadeOrTakenFromTheInput() {
    Answer made = new Cli(home).typing("").run("credentials", "user", "anna", "--role", "admin");
    assertThat(made.out()).startsWith("user anna admin * pbkdf2-sha512:");
    assertThat(made.err()).containsPattern("shown only now: \\S{20}\n");

    Answer given = new Cli(home).input("correct horse\n").run("credentials", "user", "anna");
    assertThat(given.out()).startsWith("user anna viewer * pbkdf2-sha512:").doesNotContain("horse");
    assertThat(given.err()).isEmpty();
  }

  @Test
  void whatCouldNotBeReadAgainIsRefused() {
    assertThat(new Cli(home).run("credentials", "token", "two words").exitCode()).isEqualTo(2);
    assertThat(new Cli(home).run("credentials", "user", "anna", "-q", "a b").exitCode())
        .isEqualTo(2);
    Answer brief = new Cli(home).input("short").run("credentials", "user", "anna");
    assertThat(brief.exitCode()).isEqualTo(2);
    assertThat(brief.err()).contains("8 characters", "--help").doesNotContain("short");
    assertThat(new Cli(home).run("credentials", "user", "anna", "--role", "king").exitCode())
        .isEqualTo(2);
  }
}
