package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.embedded.EmbeddedRedis;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connection settings from all sources, and errors of the connection. */
class ConnectionIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path home;
  private final TestDatabase database = new TestDatabase();

  @AfterEach
  void close() {
    database.close();
  }

  @BeforeEach
  void putOneThere() {
    database.task("here", "{}", o -> o.queue("here"));
  }

  private CliRunner cli() {
    return new CliRunner(home);
  }

  private String database() {
    return database.url().substring(database.url().lastIndexOf('/') + 1);
  }

  private static void assertArrived(Answer answer) {
    assertThat(answer.err()).isEmpty();
    assertThat(answer.out()).isEqualTo("here\n");
    assertThat(answer.exitCode()).isZero();
  }

  @Test
  void byUrlBeforeOrBehindTheCommand() {
    CliRunner cli = cli();
    assertArrived(cli.run("--redis", database.url(), "queue", "list", "--names"));
    assertArrived(cli.run("queue", "list", "--names", "--redis=" + database.url()));
  }

  @Test
  void byTheFlagsOfTheOriginal() {
    CliRunner cli = cli();
    String address = "127.0.0.1:" + TestDatabase.port();
    assertArrived(cli.run("queue", "list", "--names", "-u", address, "-n", database()));
    assertArrived(cli.run("queue", "list", "--names", "--uri", database.url()));
  }

  @Test
  void byVariables() {
    assertArrived(
        cli().variable("ASYNQ_REDIS_URL", database.url()).run("queue", "list", "--names"));
    assertThat(
            new CliRunner(home)
                .variable("ASYNQ_URI", "127.0.0.1:" + TestDatabase.port())
                .variable("ASYNQ_DB", database())
                .run("queue", "list", "--names")
                .out())
        .isEqualTo("here\n");
    assertThat(new CliRunner(home).variable("ASYNQ_DB", "one").run("queue", "list").err())
        .contains("ASYNQ_DB must be a number");
  }

  @Test
  void byTheConfigurationFileWhichVariablesAndFlagsOutrank() throws Exception {
    Files.writeString(
        home.resolve(".asynq.yaml"),
        "uri: 127.0.0.1:%d\ndb: %s\n".formatted(TestDatabase.port(), database()));
    CliRunner cli = cli();
    assertArrived(cli.run("queue", "list", "--names"));
    assertThat(cli.run("queue", "list", "--names", "--db", "999").out()).isEmpty();
    assertThat(cli.run("queue", "list", "--names", "--json").out()).startsWith("[");

    Path other = Files.writeString(home.resolve("other.yaml"), "redis: " + database.url());
    assertArrived(cli.run("--config", other.toString(), "queue", "list", "--names"));
    assertThat(cli.run("--config", "nosuch.yaml", "stats").exitCode()).isEqualTo(2);
  }

  @Test
  void aBadConfigurationFileIsReportedWithoutItsContent() throws Exception {
    Files.writeString(home.resolve(".asynq.yaml"), "redis: {\npassword: s3cret");
    Answer broken = new CliRunner(home).run("stats");
    assertThat(broken.exitCode()).isEqualTo(2);
    assertThat(broken.err()).contains("not valid YAML").doesNotContain("s3cret");

    Files.writeString(home.resolve(".asynq.yaml"), "ur: localhost");
    assertThat(new CliRunner(home).run("stats").err()).contains("\"ur\"", "cluster_addrs");
  }

  @Test
  void byAContextThatIsUsedOrNamed() {
    CliRunner cli = cli();
    assertThat(cli.run("context", "list").out()).contains("No contexts in");
    assertThat(cli.run("context", "set", "here", "--redis", database.url()).exitCode()).isZero();
    assertThat(cli.run("context", "set", "away", "-u", "nohost:1", "-p", "s3cret").out())
        .contains("redis://nohost:1")
        .doesNotContain("s3cret");

    assertArrived(cli.run("queue", "list", "--names", "--context", "here"));
    assertThat(cli.run("context", "use", "here").exitCode()).isZero();
    assertArrived(cli.run("queue", "list", "--names"));
    assertThat(cli().variable("ASYNQ_CONTEXT", "nosuch").run("queue", "list", "--names").exitCode())
        .isEqualTo(3);

    assertThat(cli.run("context", "list").out())
        .containsPattern("\\* +here +redis://127")
        .doesNotContain("s3cret");
    assertThat(cli.run("context", "list", "--json").out()).doesNotContain("s3cret");
    assertThat(cli.run("context", "use", "nosuch").exitCode()).isEqualTo(3);
    assertThat(cli.run("context", "remove", "here").exitCode()).isZero();
    assertThat(cli.run("context", "rm", "here").exitCode()).isEqualTo(3);
    assertThat(cli.run("context", "use", "--none").exitCode()).isZero();
    assertThat(cli.run("context", "set", "x").exitCode()).isEqualTo(2);
    assertThat(cli.run("context", "set", "bad name", "-u", "h:1").exitCode()).isEqualTo(2);
  }

  @Test
  void theContextFileIsReadableOnlyByItsOwner() throws Exception {
    cli().run("context", "set", "prod", "--redis", "redis://:s3cret@localhost");

    Path file = home.resolve(".asynq.yaml");
    assertThat(Files.readString(file)).contains("contexts:", "prod:", "s3cret");
    assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
  }

  @Test
  void aPasswordIsNotSentToAnotherRedis() throws Exception {
    Files.writeString(
        home.resolve(".asynq.yaml"), "uri: 127.0.0.1:1\nusername: nobody\npassword: s3cret\n");

    assertArrived(cli().run("queue", "list", "--names", "--redis", database.url()));
  }

  @Test
  void aWrongPasswordIsReportedWithoutShowingIt() {
    try (EmbeddedRedis locked = EmbeddedRedis.builder().password("s3cret").start()) {
      String address = "127.0.0.1:" + locked.port();
      assertThat(new CliRunner(home).run("stats", "-u", address, "-p", "s3cret").exitCode())
          .isZero();

      Answer wrong = new CliRunner(home).run("stats", "-u", address, "-p", "wr0ng");
      assertThat(wrong.exitCode()).isEqualTo(4);
      assertThat(wrong.err()).contains("asynq: ").doesNotContain("wr0ng", "\tat ");
      assertThat(new CliRunner(home).run("stats", "-u", address).exitCode()).isEqualTo(4);
    }
  }

  @Test
  void anUnreachableRedisIsReportedInOneSentenceWithinSeconds() {
    long begun = System.nanoTime();
    Answer answer = new CliRunner(home).run("stats", "--redis", "redis://127.0.0.1:1");

    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(PATIENCE);
    assertThat(answer.exitCode()).isEqualTo(4);
    assertThat(answer.out()).isEmpty();
    assertThat(answer.err())
        .contains("127.0.0.1:1", "asynq dev", "--redis URL")
        .doesNotContain("Exception", "\tat ");
  }

  @Test
  @Timeout(120)
  void aRedisThatDoesNotReplyIsReportedAsUnreachable() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      long begun = System.nanoTime();
      Answer answer =
          new CliRunner(home).run("queue", "list", "-u", "127.0.0.1:" + silent.getLocalPort());

      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(PATIENCE);
      assertThat(answer.exitCode()).isEqualTo(4);
      assertThat(answer.err()).doesNotContain("\tat ");
    }
  }

  @Test
  void invalidCombinationsAreUsageErrors() {
    assertThat(new CliRunner(home).run("stats", "--redis", "http://x").exitCode()).isEqualTo(2);
    assertThat(new CliRunner(home).run("stats", "--redis", "redis://x", "-u", "y:1").err())
        .contains("remove one");
    assertThat(new CliRunner(home).run("stats", "--redis", "redis://x", "--cluster").err())
        .contains("redis-cluster://");
    assertThat(new CliRunner(home).run("stats", "--output", "xml").exitCode()).isEqualTo(2);
    assertThat(
            new CliRunner(home)
                .run("stats", "--json", "-o", "csv", "--redis", "redis://x")
                .exitCode())
        .isEqualTo(2);
  }
}
