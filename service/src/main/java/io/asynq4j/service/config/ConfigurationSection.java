package io.asynq4j.service.config;

import io.asynq4j.internal.text.ByteSizeFormat;
import io.asynq4j.internal.text.DurationFormat;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A mapping of the file, read key by key. Errors are collected with their positions and reading
 * continues, so that one run reports all of them. Not thread-safe.
 */
public final class ConfigurationSection {

  private final ConfigurationParser source;
  private final String path;
  private final @Nullable Node where;
  private final Map<String, Node> values = new LinkedHashMap<>();
  private final Map<String, Node> keys = new LinkedHashMap<>();
  private final TreeSet<String> known = new TreeSet<>();

  ConfigurationSection(ConfigurationParser source, String path, @Nullable Node node) {
    this.source = source;
    this.path = path;
    this.where = node;
    if (node instanceof MappingNode mapping) {
      for (NodeTuple tuple : mapping.getValue()) {
        String key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "";
        if (values.put(key, tuple.getValueNode()) != null) {
          source.problem(tuple.getKeyNode(), "duplicate key \"%s\"".formatted(key));
        }
        keys.put(key, tuple.getKeyNode());
      }
    } else if (node != null && !isNull(node)) {
      source.problem(node, path + " must be a mapping of keys and values");
    }
  }

  private static boolean isNull(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  /** Reports an error in the value of a key, or in the whole mapping if the key is missing. */
  public void problem(String key, String message) {
    Node node = values.get(key);
    source.problem(node == null ? where : node, name(key) + " " + message);
  }

  private String name(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  public boolean has(String key) {
    known.add(key);
    Node node = values.get(key);
    return node != null && !isNull(node);
  }

  public Optional<String> text(String key) {
    if (!has(key)) {
      return Optional.empty();
    }
    return scalar(values.get(key), name(key));
  }

  private Optional<String> scalar(@Nullable Node node, String name) {
    if (node instanceof ScalarNode scalar) {
      return source.substituted(scalar);
    }
    source.problem(node, name + " must be a single value");
    return Optional.empty();
  }

  public String text(String key, String otherwise) {
    return text(key).orElse(otherwise);
  }

  public Optional<String> required(String key) {
    if (!has(key)) {
      problem(key, "is missing");
      return Optional.empty();
    }
    return text(key);
  }

  private <T> Optional<T> parsed(
      String key, Function<String, Optional<T>> parser, String expected) {
    return text(key)
        .flatMap(
            text -> {
              Optional<T> value = parser.apply(text);
              if (value.isEmpty()) {
                problem(key, "must be %s, got \"%s\"".formatted(expected, text));
              }
              return value;
            });
  }

  public Optional<Duration> duration(String key, Duration min, Duration max) {
    return parsed(
        key,
        text ->
            DurationFormat.tryParse(text)
                .filter(time -> time.compareTo(min) >= 0 && time.compareTo(max) <= 0),
        "a duration from %s to %s, %s"
            .formatted(
                DurationFormat.format(min), DurationFormat.format(max), DurationFormat.EXPECTED));
  }

  public Optional<Long> size(String key, long min, long max) {
    return parsed(
        key,
        text -> ByteSizeFormat.tryParse(text).filter(n -> n >= min && n <= max),
        "a size from %s to %s, %s"
            .formatted(
                ByteSizeFormat.format(min), ByteSizeFormat.format(max), ByteSizeFormat.EXPECTED));
  }

  public Optional<Integer> integer(String key, int min, int max) {
    return parsed(
        key,
        text -> {
          try {
            int number = Integer.parseInt(text);
            return number < min || number > max ? Optional.empty() : Optional.of(number);
          } catch (NumberFormatException e) {
            return Optional.empty();
          }
        },
        "a whole number from %d to %d".formatted(min, max));
  }

  public boolean flag(String key) {
    return parsed(
            key,
            text ->
                switch (text) {
                  case "true" -> Optional.of(true);
                  case "false" -> Optional.of(false);
                  default -> Optional.empty();
                },
            "true or false")
        .orElse(false);
  }

  public <E extends Enum<E>> Optional<E> choice(String key, Class<E> type) {
    E[] all = type.getEnumConstants();
    List<String> words = new ArrayList<>();
    for (E each : all) {
      words.add(each.name().toLowerCase(Locale.ROOT));
    }
    return parsed(
        key,
        text -> words.contains(text) ? Optional.of(all[words.indexOf(text)]) : Optional.empty(),
        "one of " + words);
  }

  /** Returns the mapping below a key; an empty one if the key is missing. */
  public ConfigurationSection section(String key) {
    return new ConfigurationSection(source, name(key), has(key) ? values.get(key) : null);
  }

  /** Returns each key of this mapping with the mapping below it. */
  void eachSection(BiConsumer<String, ConfigurationSection> action) {
    values.forEach(
        (key, value) -> {
          known.add(key);
          action.accept(key, new ConfigurationSection(source, name(key), value));
        });
  }

  public List<ConfigurationSection> sections(String key) {
    List<ConfigurationSection> sections = new ArrayList<>();
    for (Node node : list(key)) {
      sections.add(new ConfigurationSection(source, name(key) + "[" + sections.size() + "]", node));
    }
    return sections;
  }

  public List<String> texts(String key) {
    return list(key).stream().flatMap(node -> scalar(node, name(key)).stream()).toList();
  }

  private List<Node> list(String key) {
    if (!has(key)) {
      return List.of();
    }
    if (values.get(key) instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    problem(key, "must be a list");
    return List.of();
  }

  Map<String, String> textMap(String key) {
    Map<String, String> texts = new LinkedHashMap<>();
    ConfigurationSection below = section(key);
    below.values.keySet().forEach(name -> below.text(name).ifPresent(v -> texts.put(name, v)));
    return texts;
  }

  /** Returns any value as JSON, without substitution of variables. */
  Optional<JsonNode> json(String key) {
    return has(key) ? Optional.of(json(values.get(key))) : Optional.empty();
  }

  private JsonNode json(@Nullable Node node) {
    JsonNodeFactory factory = JsonNodeFactory.instance;
    if (node instanceof MappingNode mapping) {
      ObjectNode object = factory.objectNode();
      for (NodeTuple tuple : mapping.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode scalar) {
          object.set(scalar.getValue(), json(tuple.getValueNode()));
        }
      }
      return object;
    }
    if (node instanceof SequenceNode sequence) {
      ArrayNode array = factory.arrayNode();
      sequence.getValue().forEach(each -> array.add(json(each)));
      return array;
    }
    if (node instanceof ScalarNode scalar) {
      boolean plain = scalar.getScalarStyle() == ScalarStyle.PLAIN;
      return plain ? scalar(scalar.getValue()) : factory.stringNode(scalar.getValue());
    }
    return factory.nullNode();
  }

  /** Converts a plain scalar of YAML's core schema. */
  private static JsonNode scalar(String text) {
    JsonNodeFactory factory = JsonNodeFactory.instance;
    switch (text) {
      case "true" -> {
        return factory.booleanNode(true);
      }
      case "false" -> {
        return factory.booleanNode(false);
      }
      case "", "~", "null" -> {
        return factory.nullNode();
      }
      default -> {
        try {
          if (text.matches("[-+]?\\d{1,18}")) {
            return factory.numberNode(Long.parseLong(text));
          }
          return text.matches("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d{1,4})?")
              ? factory.numberNode(new BigDecimal(text))
              : factory.stringNode(text);
        } catch (NumberFormatException e) {
          return factory.stringNode(text);
        }
      }
    }
  }

  /** Reports keys that were not read. */
  public void end() {
    keys.forEach(
        (key, node) -> {
          if (!known.contains(key)) {
            source.problem(node, "unknown key %s; known keys: %s".formatted(name(key), known));
          }
        });
  }
}
