package io.asynq4j.cli.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.Asynq;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestCertificates;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.dashboard.Credentials;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard command, and the file of its users. */
class DashboardCommandIT {

  private static final String PASSWORD = "a long word";

  @TempDir private Path home;

  @Test
  void aLineForTheFileHasTheHashAndNotThePassword() {
    Answer answer =
        new CliRunner(home)
            .input(PASSWORD + "\n")
            .run("dashboard", "hash", "otto", "--role", "operator", "--queues", "mail,report-*");

    assertThat(answer.exitCode()).as(answer.err()).isZero();
    assertThat(answer.out())
        .startsWith("user otto operator mail,report-* pbkdf2-sha512:")
        .hasLineCount(1)
        .doesNotContain(PASSWORD);
    assertThat(Credentials.of(answer.out().lines().toList())).isNotNull();
  }

  @Test
  void aTokenIsPrintedNextToItsLine() {
    Answer answer = new CliRunner(home).run("dashboard", "hash", "ci", "--token");

    assertThat(answer.out()).startsWith("token ci viewer * pbkdf2-sha512:").hasLineCount(1);
    assertThat(answer.err()).containsPattern("Bearer ci\\.[0-9a-f]{64}");
  }

  @Test
  void invalidPasswordsAndNamesAreRefusedWithTheRules() {
    Answer tooShort = new CliRunner(home).input("short\n").run("dashboard", "hash", "anna");
    Answer none = new CliRunner(home).run("dashboard", "hash", "anna");
    Answer name = new CliRunner(home).input(PASSWORD).run("dashboard", "hash", "an na");
    Answer role =
        new CliRunner(home).input(PASSWORD).run("dashboard", "hash", "anna", "--role", "boss");
    Answer queue =
        new CliRunner(home).input(PASSWORD).run("dashboard", "hash", "anna", "--queues", "a b");

    assertThat(List.of(tooShort, none, name, role, queue))
        .allMatch(answer -> answer.exitCode() == ExitCode.USAGE && answer.out().isEmpty());
    assertThat(tooShort.err()).contains("8 characters").doesNotContain("short\n");
    assertThat(none.err()).contains("Missing password");
    assertThat(name.err()).contains("letters, digits");
    assertThat(role.err()).containsIgnoringCase("viewer");
    assertThat(queue.err()).contains("spaces or commas");
  }

  @Test
  void servesHttpsWithCredentialsFromTheVariableAndRefusesACertificateWithoutKey()
      throws Exception {
    Path store = home.resolve("store.p12");
    TestCertificates.makeStore(store, PASSWORD);
    String line =
        new CliRunner(home).input(PASSWORD).run("dashboard", "hash", "anna").out().strip();
    try (TestDatabase database = new TestDatabase()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      CliRunner cli =
          database
              .cli(home)
              .variable("ASYNQ_DASHBOARD_CREDENTIALS", line)
              .variable("ASYNQ_DASHBOARD_KEYSTORE_PASSWORD", PASSWORD);
      Thread command =
          new Thread(
              () ->
                  Asynq.commandLine(cli.environment(out, err))
                      .execute("dashboard", "--port", "0", "--tls-keystore", store.toString()));
      command.start();
      Pattern address = Pattern.compile("dashboard  (https://\\S+)");
      Awaitility.await()
          .until(() -> !command.isAlive() || address.matcher(CliRunner.text(out)).find());
      Matcher found = address.matcher(CliRunner.text(out));
      assertThat(found.find()).as(CliRunner.text(err)).isTrue();
      URI session = URI.create(found.group(1)).resolve("api/v1/session");
      HttpClient client =
          HttpClient.newBuilder().sslContext(TestCertificates.in(store, PASSWORD)).build();

      assertThat(send(client, HttpRequest.newBuilder(session)).statusCode()).isEqualTo(401);
      String basic =
          Base64.getEncoder().encodeToString(("anna:" + PASSWORD).getBytes(StandardCharsets.UTF_8));
      HttpResponse<String> known =
          send(client, HttpRequest.newBuilder(session).header("Authorization", "Basic " + basic));
      assertThat(known.statusCode()).isEqualTo(200);
      assertThat(known.body()).contains("\"user\":\"anna\"");
      command.interrupt();
      command.join();

      Answer half = database.cli(home).run("dashboard", "--tls-cert", store.toString());
      assertThat(half.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(half.err()).contains("both --tls-cert and --tls-key");
      Answer none = database.cli(home).run("dashboard", "--credentials", "nowhere.txt");
      assertThat(none.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(none.err()).contains("nowhere.txt");
    }
  }

  @Test
  void aPortInUseIsReportedInOneSentence() throws Exception {
    try (TestDatabase database = new TestDatabase();
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Answer busy =
          database.cli(home).run("dashboard", "--port", Integer.toString(taken.getLocalPort()));
      assertThat(busy.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(busy.err()).contains("cannot listen on", "--port").doesNotContain("\tat ");
    }
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request)
      throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
