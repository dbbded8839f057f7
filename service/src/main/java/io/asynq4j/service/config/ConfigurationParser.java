package io.asynq4j.service.config;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Parses the text of a configuration and reports its errors with their positions. Not thread-safe.
 */
public final class ConfigurationParser {

  /** A variable with an optional default; a doubled dollar sign stands for one. */
  private static final Pattern VARIABLE =
      Pattern.compile("\\$(\\$\\{|\\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\\})");

  /** Receives the errors of a configuration. */
  @FunctionalInterface
  public interface ProblemCollector {

    /**
     * Adds an error.
     *
     * @param line counted from 1
     * @param column counted from 1
     */
    void add(int line, int column, String message);
  }

  private final String file;
  private final Map<String, String> environment;
  private final ProblemCollector problems;

  public ConfigurationParser(
      String file, Map<String, String> environment, ProblemCollector problems) {
    this.file = file;
    this.environment = environment;
    this.problems = problems;
  }

  /** Returns the top of the file; empty if the text is not valid YAML. */
  public Optional<ConfigurationSection> parse(String yaml) {
    LoadSettings settings = LoadSettings.builder().setLabel(file).setUseMarks(true).build();
    try {
      return Optional.of(
          new ConfigurationSection(
              this, "", new Compose(settings).composeString(yaml).orElse(null)));
    } catch (MarkedYamlEngineException e) {
      add(e.getProblemMark().orElse(null), "invalid YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      add(null, "invalid YAML: " + e.getMessage());
    }
    return Optional.empty();
  }

  void problem(@Nullable Node node, String message) {
    add(node == null ? null : node.getStartMark().orElse(null), message);
  }

  private void add(@Nullable Mark mark, String message) {
    problems.add(
        mark == null ? 1 : mark.getLine() + 1, mark == null ? 1 : mark.getColumn() + 1, message);
  }

  Optional<String> substituted(ScalarNode scalar) {
    Matcher variables = VARIABLE.matcher(scalar.getValue());
    StringBuilder text = new StringBuilder();
    while (variables.find()) {
      String name = variables.group(2);
      String value = name == null ? "${" : environment.get(name);
      if (value == null) {
        value = variables.group(3);
      }
      if (value == null) {
        problem(
            scalar,
            "the environment variable %s is not set; set it, or add a default: ${%s:-default}"
                .formatted(name, name));
        return Optional.empty();
      }
      variables.appendReplacement(text, Matcher.quoteReplacement(value));
    }
    variables.appendTail(text);
    return Optional.of(text.toString());
  }
}
