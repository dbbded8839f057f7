package io.asynq4j.service.config;

import io.asynq4j.service.ConfigurationException;
import io.asynq4j.service.ConfigurationException.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
 * Parses the text of a configuration and collects its errors with their positions. Not thread-safe.
 */
public final class ConfigurationParser {

  /** A variable with an optional default; a doubled dollar sign stands for one. */
  private static final Pattern VARIABLE =
      Pattern.compile("\\$(\\$\\{|\\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\\})");

  private final String file;
  private final Map<String, String> environment;
  private final List<Problem> problems = new ArrayList<>();

  public ConfigurationParser(String file, Map<String, String> environment) {
    this.file = file;
    this.environment = environment;
  }

  public ConfigurationSection parse(String yaml) {
    LoadSettings settings = LoadSettings.builder().setLabel(file).setUseMarks(true).build();
    try {
      return new ConfigurationSection(
          this, "", new Compose(settings).composeString(yaml).orElse(null));
    } catch (MarkedYamlEngineException e) {
      add(e.getProblemMark().orElse(null), "invalid YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      add(null, "invalid YAML: " + e.getMessage());
    }
    throw new ConfigurationException(problems);
  }

  void problem(@Nullable Node node, String message) {
    add(node == null ? null : node.getStartMark().orElse(null), message);
  }

  private void add(@Nullable Mark mark, String message) {
    problems.add(
        new Problem(
            file,
            mark == null ? 1 : mark.getLine() + 1,
            mark == null ? 1 : mark.getColumn() + 1,
            message));
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

  public void throwIfBad() {
    if (!problems.isEmpty()) {
      problems.sort(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column));
      throw new ConfigurationException(problems);
    }
  }
}
