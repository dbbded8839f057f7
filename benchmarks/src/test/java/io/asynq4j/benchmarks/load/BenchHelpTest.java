package io.asynq4j.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.testsupport.CommandHelp;
import io.asynq4j.testsupport.Glossary;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The help of every load program is in plain English, and picocli can format it. */
class BenchHelpTest {

  @TestFactory
  Stream<DynamicTest> everyHelpPageUsesTheGlossary() {
    return CommandHelp.commands(Bench.commandLine()).entrySet().stream()
        .map(
            command ->
                DynamicTest.dynamicTest(
                    command.getKey(),
                    () ->
                        assertThat(Glossary.violations(command.getValue().getUsageMessage()))
                            .isEmpty()));
  }

  @Test
  void picocliHasNoWarnings() throws ReflectiveOperationException {
    assertThat(CommandHelp.warnings(Bench::commandLine)).isEmpty();
  }
}
