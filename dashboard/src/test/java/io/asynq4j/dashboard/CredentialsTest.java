package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsTest {

  @Test
  void aFileNamesUsersAndTokensWithTheirRolesAndQueues(@TempDir Path folder) throws IOException {
    String hash = PasswordHash.of("correct horse".toCharArray(), 1_000).toString();
    Path file =
        Files.write(
            folder.resolve("credentials"),
            List.of(
                "# users",
                "",
                "user anna admin * " + hash,
                "token ci  operator  mail,report-*  " + hash));

    Credentials credentials = Credentials.fromFile(file);

    Credentials.Entry anna = Objects.requireNonNull(credentials.user("anna"));
    assertThat(anna.grant()).isEqualTo(Grant.of(Role.ADMIN));
    assertThat(anna.hash().matches("correct horse".toCharArray())).isTrue();
    assertThat(anna.hash().matches("wrong horse".toCharArray())).isFalse();
    Credentials.Entry ci = Objects.requireNonNull(credentials.token("ci"));
    assertThat(ci.grant().sees("report-7")).isTrue();
    assertThat(ci.grant().sees("billing")).isFalse();
    assertThat(credentials.user("ci")).isNull();
  }

  @Test
  void aPasswordInPlaceOfAHashIsRejectedAndNotRepeated() {
    assertThatThrownBy(() -> Credentials.of(List.of("user anna admin * s3cr3t-password")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line 1")
        .satisfies(e -> assertThat(e.toString()).doesNotContain("s3cr3t"));
  }

  @Test
  void invalidLinesAreRejected() {
    String hash = PasswordHash.of("correct horse".toCharArray(), 1_000).toString();
    for (String line :
        List.of(
            "user anna admin " + hash,
            "user anna boss * " + hash,
            "robot anna admin * " + hash,
            "user an:na admin * " + hash,
            "user anna admin , " + hash)) {
      assertThatThrownBy(() -> Credentials.of(List.of(line)))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> Credentials.of(List.of())).hasMessageContaining("empty");
  }

  @Test
  void aTokenIsShownOnceAndKeptAsAHash() {
    Credentials.NewToken made = Credentials.newToken("ci", Grant.of(Role.VIEWER));

    String secret = made.token().substring("ci.".length());
    assertThat(made.line()).doesNotContain(secret);
    assertThat(made.toString()).doesNotContain(secret);
    Credentials.Entry entry =
        Objects.requireNonNull(Credentials.of(List.of(made.line())).token("ci"));
    assertThat(entry.hash().matches(secret.toCharArray())).isTrue();
  }

  @Test
  void equalPasswordsHaveDifferentHashes() {
    assertThat(Credentials.hash("correct horse".toCharArray()))
        .startsWith("pbkdf2-sha512:210000:")
        .isNotEqualTo(Credentials.hash("correct horse".toCharArray()));
    assertThatThrownBy(() -> Credentials.hash("short".toCharArray()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aProxyIsTrustedByItsAddressOnly() {
    TrustedProxy proxy =
        TrustedProxy.of(
                List.of("10.1.0.0/16", "fd00::7"), "X-Forwarded-User", Grant.of(Role.VIEWER))
            .with("anna", Grant.of(Role.ADMIN));

    assertThat(proxy.isFrom("10.1.255.3")).isTrue();
    assertThat(proxy.isFrom("10.2.0.1")).isFalse();
    assertThat(proxy.isFrom("fd00:0:0:0:0:0:0:7")).isTrue();
    assertThat(proxy.isFrom("fd00::8")).isFalse();
    assertThat(proxy.grantOf("anna")).contains(Grant.of(Role.ADMIN));
    assertThat(proxy.grantOf("bob")).contains(Grant.of(Role.VIEWER));
    assertThatThrownBy(() -> TrustedProxy.of(List.of("proxy.example"), "X", Grant.of(Role.VIEWER)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anUnknownNameIsComparedForAsLongAsAKnownOne() {
    Credentials.NewToken token = Credentials.newToken("ci", Grant.of(Role.VIEWER));
    Credentials credentials =
        Credentials.of(
            List.of(
                token.line(),
                Credentials.newUser("anna", Grant.of(Role.VIEWER), "a long one".toCharArray())));
    assertThat(credentials.placeholderHash("token").iterations())
        .isEqualTo(Objects.requireNonNull(credentials.token("ci")).hash().iterations());
    assertThat(credentials.placeholderHash("user").iterations())
        .isEqualTo(Objects.requireNonNull(credentials.user("anna")).hash().iterations());
    assertThat(credentials.placeholderHash("token").matches("".toCharArray())).isFalse();
  }
}
