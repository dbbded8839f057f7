package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.output.JsonReader;
import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.schedule.Scheduler;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Every example in the help pages works. */
class HelpExamplesIT {

  /** Help itself, and what the launcher runs. */
  private static final Set<String> WITHOUT_EXAMPLES = Set.of("asynq help", "asynq bench");

  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  private static final Pattern FORMAT =
      Pattern.compile(" (--json|--output|-o|--watch|-w|<|>|-)( |$)");

  @TempDir private Path home;

  private static List<CommandSpec> commands() {
    List<CommandSpec> all = new ArrayList<>();
    collect(
        Asynq.commandLine(
            new CliRunner(Path.of("."))
                .environment(new ByteArrayOutputStream(), new ByteArrayOutputStream())),
        all);
    return all;
  }

  private static void collect(CommandLine command, List<CommandSpec> all) {
    if (!command.getCommandSpec().usageMessage().hidden()) {
      all.add(command.getCommandSpec());
      new LinkedHashSet<>(command.getSubcommands().values()).forEach(each -> collect(each, all));
    }
  }

  private static List<String> examples(CommandSpec command) {
    return Arrays.stream(command.usageMessage().footer())
        .map(String::strip)
        .filter(line -> line.startsWith("asynq "))
        .toList();
  }

  @Test
  void everyCommandHasAnExampleAndRefersToTheExitCodes() {
    for (CommandSpec command : commands()) {
      if (!WITHOUT_EXAMPLES.contains(command.qualifiedName())) {
        assertThat(examples(command)).as(command.qualifiedName()).isNotEmpty();
        assertThat(command.commandLine().getUsageMessage())
            .as(command.qualifiedName())
            .contains(
                command.parent() == null ? "4     cannot connect to Redis" : "the exit codes.");
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> everyExampleWorks() {
    return commands().stream()
        .flatMap(command -> examples(command).stream())
        // It needs a terminal, which only DashCommandIT provides.
        .filter(example -> !(example + " ").startsWith("asynq dash "))
        .distinct()
        .map(
            example ->
                DynamicTest.dynamicTest(example, () -> assertThat(answer(example)).isNotEmpty()));
  }

  /** Every command that uses Redis supports JSON output, for programs. */
  @TestFactory
  Stream<DynamicTest> everyCommandThatUsesRedisSupportsJson() {
    return commands().stream()
        .filter(command -> command.userObject() instanceof RedisCommand)
        .flatMap(
            command ->
                examples(command).stream()
                    .map(example -> example.replaceAll(" {2,}#.*", ""))
                    .filter(example -> !FORMAT.matcher(example).find())
                    .limit(1))
        .map(
            example ->
                DynamicTest.dynamicTest(
                    example,
                    () -> assertThat(JsonReader.read(answer(example + " --json"))).isNotNull()));
  }

  private String answer(String example) throws Exception {
    Path directory = Files.createTempDirectory(home, "example");
    Files.writeString(directory.resolve("payload.json"), "{\"user\": 43}");
    Files.writeString(directory.resolve("password.txt"), "a long word\n");
    Files.writeString(
        directory.resolve("tasks.jsonl"), "{\"type\": \"a\", \"payload\": {\"user\": 1}}\n");
    Files.writeString(directory.resolve("asynq.yaml"), "tasks: { mail: { kind: worker } }");
    try (TestDatabase database = new TestDatabase().furnished()) {
      List<String> words = words(example, directory, database.url());
      CliRunner cli = cli(database, words, directory);
      if (words.get(0).equals("doctor")) {
        // The doctor would report this queue, and exit with 1.
        database.inspector().queue("unused").remove(/* force= */ false);
      }
      Answer answer;
      if (words.get(0).equals("cron")) {
        try (Scheduler scheduler = database.scheduler("nightly-report", "outdated-report")) {
          answer = cli.run(words.toArray(String[]::new));
          assertThat(scheduler.entries()).hasSize(2);
        }
      } else {
        answer = cli.run(words.toArray(String[]::new));
      }
      assertThat(answer.exitCode()).as(answer.err()).isZero();
      return answer.out();
    }
  }

  private static CliRunner cli(TestDatabase database, List<String> words, Path directory)
      throws Exception {
    CliRunner cli = words.get(0).equals("dev") ? new CliRunner(directory) : database.cli(directory);
    int input = words.indexOf("<");
    if (input >= 0) {
      cli.input(Files.readString(Path.of(words.get(input + 1))));
      words.subList(input, input + 2).clear();
    }
    int output = words.indexOf(">");
    if (output >= 0) {
      words.subList(output, output + 2).clear();
    }
    boolean serves = words.get(0).equals("dashboard") && !words.contains("hash");
    if (words.contains("hash") && input < 0) {
      cli.input("a long word\n");
    }
    if (words.get(0).equals("dev") || serves) {
      words.addAll(List.of("--for", "300ms"));
    }
    if (serves && !words.contains("--port")) {
      // The default port may be in use.
      words.addAll(List.of("--port", "0"));
    }
    if (words.get(0).equals("exporter")) {
      words.addAll(List.of("--for", "300ms"));
      if (!words.contains("--port")) {
        words.addAll(List.of("--port", "0"));
      }
    }
    if (words.get(0).equals("context") && !words.get(1).equals("set")) {
      cli.run("context", "set", "prod", "--redis", database.url());
      cli.run("context", "set", "old", "--redis", database.url());
    }
    return cli;
  }

  /** The words as a shell would split them, with the files and the Redis of this test. */
  private static List<String> words(String example, Path directory, String url) {
    String here =
        example
            .replaceAll(" {2,}#.*", "")
            .replaceFirst("^asynq ", "")
            .replaceAll("redis://localhost(:6379)?(?! )$", url)
            .replaceAll("redis://localhost(:6379)?(?= )", url)
            .replace("payload.json", directory.resolve("payload.json").toString())
            .replace("asynq.yaml", directory.resolve("asynq.yaml").toString())
            .replace("password.txt", directory.resolve("password.txt").toString())
            .replace("tasks.jsonl", directory.resolve("tasks.jsonl").toString());
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(here);
    while (matcher.find()) {
      words.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
    }
    return words;
  }
}
