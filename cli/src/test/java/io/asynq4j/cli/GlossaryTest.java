package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.testsupport.CommandHelp;
import io.asynq4j.testsupport.Glossary;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** The help of every command is in plain English and in one style. */
class GlossaryTest {

  private static CommandLine asynq() {
    return Asynq.commandLine(
        new CliRunner(Path.of("."))
            .environment(new ByteArrayOutputStream(), new ByteArrayOutputStream()));
  }

  @TestFactory
  Stream<DynamicTest> everyHelpPageUsesTheGlossary() {
    return CommandHelp.commands(asynq()).entrySet().stream()
        .map(
            command ->
                DynamicTest.dynamicTest(
                    command.getKey(),
                    () ->
                        assertThat(Glossary.violations(command.getValue().getUsageMessage()))
                            .isEmpty()));
  }

  @TestFactory
  Stream<DynamicTest> everyOptionIsDescribedInOneStyle() {
    return CommandHelp.commands(asynq()).entrySet().stream()
        .map(
            command ->
                DynamicTest.dynamicTest(
                    command.getKey(),
                    () ->
                        assertThat(oddDescriptions(command.getValue().getCommandSpec()))
                            .isEmpty()));
  }

  /**
   * A description starts with a capital or a quoted value, ends with a period, and has one form of
   * default.
   */
  private static List<String> oddDescriptions(CommandSpec command) {
    List<String> odd = new ArrayList<>();
    Stream.concat(command.options().stream(), command.positionalParameters().stream())
        .filter(argument -> !argument.hidden())
        .forEach(
            argument -> {
              String text = description(argument);
              if (!text.matches("(?s)[A-Z'].*\\.|true .*\\.")
                  || text.contains("(default")
                  || text.matches("(?s).*Default: [^.]*")) {
                odd.add(argument + ": " + text);
              }
            });
    return odd;
  }

  private static String description(ArgSpec argument) {
    return String.join(" ", argument.description());
  }

  @Test
  void everyLineFitsTheWidthOfAHelpPage() {
    CommandHelp.commands(asynq())
        .forEach(
            (name, command) ->
                assertThat(
                        Stream.of(
                                command.getCommandSpec().usageMessage().footer(),
                                command.getCommandSpec().usageMessage().description())
                            .flatMap(Stream::of)
                            .filter(line -> line.length() > 99))
                    .as(name)
                    .isEmpty());
  }

  @Test
  void picocliHasNoWarnings() throws ReflectiveOperationException {
    assertThat(CommandHelp.warnings(GlossaryTest::asynq)).isEmpty();
  }

  @Command(name = "bad", footer = "more than 5 % of the time")
  private static final class UnescapedPercent {}

  @Test
  void aFooterThatPicocliCannotFormatIsReported() throws ReflectiveOperationException {
    assertThat(CommandHelp.warnings(() -> new CommandLine(new UnescapedPercent())))
        .singleElement()
        .asString()
        .contains("5 % of the time");
  }

  @Test
  void forbiddenWordsAreFoundAlsoAcrossLines() {
    assertThat(Glossary.violations("No more than so\n    many.\nWhoever asks is told."))
        .satisfiesExactly(
            first -> assertThat(first).startsWith("'told' in").contains("use report"),
            second -> assertThat(second).startsWith("'whoever' in"),
            third -> assertThat(third).startsWith("'so many' in '…No more than so many."));
    assertThat(Glossary.violations("Retold in walkways, visitors untold, so-many.")).isEmpty();
    assertThat(Glossary.violations("Maximum number of tasks to return. Default: 30.")).isEmpty();
  }
}
