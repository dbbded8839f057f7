package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.testsupport.Glossary;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Every error is reported quickly, in one sentence and with the next step. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WrongInputIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** They find Redis themselves. */
  private static final Set<String> SERVING =
      Set.of("asynq dev", "asynq dashboard", "asynq exporter");

  @TempDir private Path home;
  private final TestDatabase database = new TestDatabase();

  @BeforeAll
  void furnish() {
    database.furnished();
  }

  @AfterAll
  void close() {
    database.close();
  }

  private static String[] words(String line) {
    return line.split(" ", -1);
  }

  private static void assertIsASentenceWithTheNextStep(Answer answer, int exitCode) {
    assertThat(answer.exitCode()).as(answer.err()).isEqualTo(exitCode);
    assertThat(answer.out()).isEmpty();
    List<String> lines = answer.err().lines().toList();
    assertThat(lines).hasSizeBetween(2, 4);
    assertThat(lines.get(0)).startsWith("asynq: ").hasSizeGreaterThan(20);
    assertThat(lines.get(lines.size() - 1)).startsWith("       ").hasSizeGreaterThan(15);
    assertThat(answer.err())
        .doesNotContain("Exception", "\tat ", "This is a bug", "null", "io.asynq4j", "java.");
    assertThat(Glossary.violations(answer.err())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "queue inspect nosuch",
        "queue history nosuch",
        "queue pause nosuch",
        "queue resume nosuch",
        "queue limit nosuch",
        "queue limit nosuch --max-active 3",
        "queue remove nosuch",
        "group list -q nosuch",
        "task list -q nosuch -s pending",
        "task search -q nosuch",
        "task inspect nosuch",
        "task inspect -q mail -i nosuch",
        "task inspect -q nosuch -i welcome-42",
        "task explain nosuch",
        "task run nosuch",
        "task run -q mail -i nosuch",
        "task archive -q mail -i nosuch",
        "task delete -q nosuch -i nosuch",
        "task cancel nosuch",
        "task edit nosuch -l x",
        "task reschedule nosuch --in 1m",
        "task move nosuch --to other",
        "task copy nosuch",
        "task runall -q nosuch -s retry --yes",
        "task archiveall -q nosuch -s retry --dry-run",
        "task deleteall -q nosuch -s retry --yes",
        "task moveall -q nosuch -s retry --to other --yes",
        "task rescheduleall -q nosuch -s retry --in 1m --yes",
        "task cancelall -q nosuch --yes",
        "server stop nosuch --yes",
        "server quiet nosuch",
        "cron pause nosuch",
        "cron resume nosuch",
        "cron run nosuch",
        "cron forget nosuch",
        "cron history nosuch",
        "context use nosuch",
        "context remove nosuch",
        "stats --context nosuch"
      })
  void whatIsNotThere(String line) {
    assertIsASentenceWithTheNextStep(database.cli(home).run(words(line)), 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "task enqueue",
        "task enqueue -t a --in soon",
        "task enqueue -t a --timeout 5",
        "task enqueue -t a --timeout -5s",
        "task enqueue -t a --deadline yesterday",
        "task enqueue -t a --at 2030-13-01",
        "task enqueue -t a --in 1m --at 2030-01-01T00:00:00Z",
        "task enqueue -t a --retry many",
        "task enqueue -t a --retry -1",
        "task enqueue -t a -H broken",
        "task enqueue -t a --payload @nosuch.json",
        "task enqueue -t a --wait 1s --retention 0s",
        "task enqueue -t a --wait 1s --group g",
        "task enqueue --from nosuch.jsonl",
        "task list -q mail -s sleeping",
        "task list -q mail",
        "task list -q mail -s pending --page 0",
        "task list -q mail -s pending --size x",
        "task search --older-than x",
        "task search --limit 0",
        "task edit welcome-42",
        "task reschedule later-7",
        "task reschedule later-7 --in 1m --at 2030-01-01T00:00:00Z",
        "task move later-7",
        "task runall -q mail -s pending --yes",
        "task runall -q mail -s retry",
        "task deleteall -q mail -s active --yes",
        "task rescheduleall -q mail -s completed --in 1m --yes",
        "task rescheduleall -q mail -s retry --yes",
        "task rescheduleall -q mail -s retry --in 1m -g x",
        "task cancelall -q mail --group x",
        "task deleteall -q mail -s retry --limit 0 --yes",
        "task cancel running-1 --then sleep",
        "queue history mail -x 0",
        "queue history mail --zone Nowhere",
        "queue inspect",
        "queue limit mail --max-active -1",
        "queue limit mail --clear --max-active 1",
        "queue limit mail --max-active abc",
        "queue limit mail --ordered yes",
        "queue rm mail --nosuch",
        "server stop",
        "cron history x --size 0",
        "context set x",
        "doctor --trim-archives",
        "stats --watch=soon",
        "stats --watch=1ms",
        "stats --output xml",
        "dev --port 99999",
        "dev --load many",
        "dev --concurrency 0 --ephemeral --port 0 --no-dashboard",
        "dev --for ever",
        "dashboard --port x",
        "dashboard --port 99999",
        "dashboard --root-path tasks",
        "dashboard --port 0 --also other",
        "dashboard --port 0 --also other=nowhere",
        "dashboard --port 0 --redact card",
        "dashboard --port 0 --trusted-proxy nowhere",
        "dashboard --port 0 --host 0.0.0.0",
        "dashboard --port 0 --credentials nosuch.txt",
        "dashboard --port 0 --tls-cert nosuch.pem",
        "exporter --port 99999",
        "exporter --port 0 --host 0.0.0.0",
        "exporter --port 0 --tls-keystore nosuch.p12",
        "exporter --port 0 --tls-cert nosuch.pem --tls-key nosuch.pem",
        "dash --interval 1ms",
        "completion tcsh",
        "nosuch",
        "queue nosuch"
      })
  void invalidInput(String line) {
    assertIsASentenceWithTheNextStep(database.cli(home).run(words(line)), 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dashboard --port 99999", "exporter --host 0.0.0.0", "dev --port x"})
  void invalidInputIsReportedBeforeConnecting(String line) {
    CliRunner cli =
        new CliRunner(home).variable("ASYNQ_REDIS_URL", "redis://127.0.0.1:1?retryFor=0s");
    assertIsASentenceWithTheNextStep(cli.run(words(line)), 2);
  }

  @Test
  void aValueAfterAnEqualsSignMayLookLikeAnOption() {
    CliRunner cli = database.cli(home);
    assertThat(cli.run("task", "enqueue", "-t", "dash", "--id", "d1", "--payload=-q").exitCode())
        .isZero();
    assertThat(cli.run("task", "enqueue", "-t", "dash", "--id", "d2", "--payload=--queue").err())
        .isEmpty();
    assertThat(cli.run("task", "enqueue", "-t", "dash", "--id", "d3", "--payload", "-1").err())
        .isEmpty();
    assertThat(cli.run("task", "enqueue", "-t", "dash", "--id", "d4", "-l=--yes").err()).isEmpty();
    assertThat(cli.run("task", "search", "--type", "dash", "--payload=--queue", "--json").out())
        .contains("\"d2\"")
        .doesNotContain("\"d1\"");
    assertThat(database.inspector().queue("default").task("d1").payload())
        .isEqualTo(Payload.ofUtf8("-q"));
    assertThat(database.inspector().queue("default").task("d3").payload())
        .isEqualTo(Payload.ofUtf8("-1"));
    assertThat(database.inspector().queue("default").task("d4").payload())
        .isEqualTo(Payload.ofUtf8("--yes"));
  }

  @Test
  void anOptionInPlaceOfAValueIsReportedWithBothPossibleMeanings() {
    Answer answer =
        database.cli(home).run("task", "enqueue", "-t", "a", "--payload", "--queue", "x");
    assertIsASentenceWithTheNextStep(answer, 2);
    assertThat(answer.err())
        .contains("--payload needs a value, but --queue follows")
        .contains("write --payload=--queue", "asynq task enqueue --help");
    assertIsASentenceWithTheNextStep(
        database.cli(home).run("--redis", "--json", "task", "list", "-q", "mail"), 2);
    assertIsASentenceWithTheNextStep(
        database.cli(home).run("task", "list", "-q", "-s", "pending"), 2);

    Answer word = database.cli(home).run("task", "inspect", "-xyz");
    assertIsASentenceWithTheNextStep(word, 2);
    assertThat(word.err()).contains("Write -- before");
    assertIsASentenceWithTheNextStep(database.cli(home).run("task", "inspect", "--", "-xyz"), 3);
  }

  @Test
  void aValueOfTheWrongKindIsReportedInPlainWords() {
    CliRunner cli = database.cli(home);
    assertThat(cli.run("queue", "limit", "mail", "--max-active", "abc").err())
        .contains("'abc' is not a whole number");
    assertThat(cli.run("queue", "limit", "mail", "--ordered", "yes").err())
        .contains("'yes' is not true or false");
  }

  @Test
  void aConfigurationFileOfTheEnvironmentIsCreatedAndNamedInErrors() {
    String file = home.resolve("new.yaml").toString();
    CliRunner cli = new CliRunner(home).variable("ASYNQ_CONFIG", file);
    assertThat(cli.run("context", "list").err())
        .contains(file + " does not exist: correct or remove ASYNQ_CONFIG");
    assertThat(cli.run("context", "set", "local", "--redis", "redis://localhost").exitCode())
        .isZero();
    assertThat(cli.run("context", "list").out()).contains("local");
  }

  @Test
  void errorsNameAnOptionAsItWasTyped() {
    CliRunner cli = database.cli(home);
    for (String name : List.of("--at", "--process_at", "--process-at")) {
      assertThat(cli.run("task", "enqueue", "-t", "a", name, "soon").err())
          .contains("option '" + name + "':");
      assertThat(cli.run("task", "enqueue", "-t", "a", name + "=soon").err())
          .contains("option '" + name + "':");
      assertThat(cli.run("task", "enqueue", "-t", "a", name, "--queue").err())
          .contains("Option " + name + " needs a value", "write " + name + "=--queue");
      assertThat(cli.run("task", "enqueue", "-t", "a", name).err())
          .contains("option '" + name + "'");
      assertThat(
              cli.run(
                      words(
                          "task enqueue --process_at 2099-01-01T00:00 %s 2098-01-01T00:00"
                              .formatted(name)))
                  .err())
          .containsIgnoringCase("option '" + name + "'");
    }
    assertThat(cli.run("task", "search", "--state", "retry", "-s", "asleep").err())
        .contains("option '-s'");
  }

  @Test
  void contradictoryTimesAreReported() {
    String both = "--at and --in cannot be combined";
    for (String command :
        List.of(
            "enqueue -t a",
            "copy nosuch",
            "reschedule later-7",
            "rescheduleall -q mail -s retry")) {
      CliRunner.Answer answer =
          database.cli(home).run(words("task " + command + " --in 1m --at 2030-01-01T00:00:00Z"));
      assertThat(answer.err()).contains(both);
      assertThat(answer.exitCode()).as(command).isEqualTo(2);
    }
  }

  /**
   * Every command that needs a Redis, with words that are right. Without the second of patience
   * that there usually is, for all of them share it; ConnectionIT has that.
   */
  @TestFactory
  Stream<DynamicTest> aRedisThatIsDown() {
    List<CommandSpec> commands = new ArrayList<>();
    ByteArrayOutputStream nowhere = new ByteArrayOutputStream();
    collect(Asynq.commandLine(new CliRunner(home).environment(nowhere, nowhere)), commands);
    return commands.stream()
        .filter(
            command ->
                command.userObject() instanceof RedisCommand
                    || SERVING.contains(command.qualifiedName()))
        .map(CommandSpec::qualifiedName)
        .map(
            name -> DynamicTest.dynamicTest(name, () -> assertReportsThatRedisIsUnreachable(name)));
  }

  private static void collect(CommandLine command, List<CommandSpec> all) {
    if (!command.getCommandSpec().usageMessage().hidden()) {
      all.add(command.getCommandSpec());
      new LinkedHashSet<>(command.getSubcommands().values()).forEach(each -> collect(each, all));
    }
  }

  /** Required options of commands. */
  private static String needed(String name) {
    return switch (name.replaceFirst("asynq ", "")) {
      case "queue inspect", "queue history", "queue pause", "queue resume", "queue remove" ->
          "mail";
      case "queue limit" -> "mail";
      case "group list" -> "-q mail";
      case "task list", "task runall", "task archiveall", "task deleteall" -> "-q mail -s retry";
      case "task moveall" -> "-q mail -s retry --to x";
      case "task rescheduleall" -> "-q mail -s retry --in 1m";
      case "task cancelall" -> "-q mail";
      case "task enqueue" -> "-t a";
      case "task edit" -> "x -l y";
      case "task reschedule" -> "x --in 1m";
      case "task move" -> "x --to y";
      case "task inspect", "task explain", "task cancel", "task run", "task archive" -> "x";
      case "task delete", "task copy" -> "x";
      case "server quiet", "server stop" -> "--all";
      case "cron history", "cron pause", "cron resume", "cron run", "cron forget" -> "x";
      case "dashboard", "exporter" -> "--port 0";
      default -> "";
    };
  }

  private void assertReportsThatRedisIsUnreachable(String name) {
    String line = name.replaceFirst("asynq ", "") + " " + needed(name);
    List<String> words = new ArrayList<>(Arrays.asList(words(line.strip())));
    words.addAll(List.of("--redis", "redis://127.0.0.1:1?retryFor=0s"));
    long begun = System.nanoTime();
    Answer answer = new CliRunner(home).run(words.toArray(String[]::new));

    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
    assertIsASentenceWithTheNextStep(answer, 4);
    assertThat(answer.err()).contains("127.0.0.1:1", "asynq dev", "--redis URL");
  }

  @Test
  void possibleChangesAreAppliedDespiteOtherFailures() {
    Answer answer = database.cli(home).run("queue", "pause", "nosuch", "outdated");
    assertThat(answer.exitCode()).isEqualTo(3);
    assertThat(answer.out()).isEqualTo("Queue outdated is paused.\n");
    assertThat(answer.err()).contains("nosuch", "asynq queue list");
    assertThat(database.inspector().queue("outdated").snapshot().paused()).isTrue();
  }
}
