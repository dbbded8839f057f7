package io.asynq4j.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.json.JsonParserFactory;

/**
 * docs/reference/spring-boot-properties.md is generated from the metadata of the properties. When
 * this test fails, it writes the new page to target/spring-boot-properties.md.
 */
class PropertiesDocTest {

  private static final Path PAGE = Path.of("../docs/reference/spring-boot-properties.md");
  private static final String BEGIN = "<!-- generated -->\n";
  private static final Pattern CAMEL_CASE = Pattern.compile("[A-Z]");

  private static final Map<String, String> QUEUE =
      Map.of(
          "weight",
          "Share of the workers among busy queues.",
          "max-active",
          "Maximum number of active tasks over all servers; 0 for no limit.",
          "ordered",
          "Whether tasks run one at a time, first in, first out.",
          "rate-limit",
          "Maximum number of tasks that start per time over all servers, such as 100/s or 5/10s. Default: no limit.",
          "burst",
          "Maximum number of tasks that start at once after an idle time. Default: a tenth of a second's tasks.");

  private record Property(String name, String type, String defaultValue, String description) {
    String row() {
      return "| `%s` | %s | %s | %s |"
          .formatted(
              name, type, defaultValue.isEmpty() ? "" : "`" + defaultValue + "`", description);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Property> properties() throws IOException {
    String metadata;
    try (InputStream in =
        Objects.requireNonNull(
            AsynqProperties.class.getResourceAsStream(
                "/META-INF/spring-configuration-metadata.json"))) {
      metadata = new String(in.readAllBytes(), UTF_8);
    }
    List<Property> properties = new ArrayList<>();
    for (Object each :
        (List<Object>)
            Objects.requireNonNull(
                JsonParserFactory.getJsonParser().parseMap(metadata).get("properties"))) {
      Map<String, Object> property = (Map<String, Object>) each;
      properties.add(
          new Property(
              text(property, "name"),
              shortType(text(property, "type")),
              text(property, "defaultValue"),
              text(property, "description")));
    }
    return properties.stream()
        .filter(property -> !property.name().startsWith("management.endpoint."))
        .sorted(Comparator.comparing(Property::name))
        .toList();
  }

  private static String text(Map<String, Object> property, String key) {
    Object value = property.get(key);
    return value == null ? "" : value.toString();
  }

  private static String shortType(String type) {
    if (type.startsWith("java.util.Map")) {
      return "by name";
    }
    if (type.startsWith("java.util.List") || type.startsWith("java.util.Set")) {
      return "list";
    }
    String name = type.substring(Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1);
    return switch (name) {
      case "Integer" -> "number";
      case "Boolean" -> "true, false";
      case "DataSize" -> "size";
      case "Codec" -> "json, strict-json, application";
      case "Durability" -> "primary, replicated, fsynced";
      default -> name.toLowerCase(Locale.ROOT);
    };
  }

  @Test
  void everyPropertyIsDescribedAndHasItsDefault() throws IOException {
    assertThat(properties()).hasSizeGreaterThan(80);
    assertThat(properties())
        .allSatisfy(
            property -> {
              assertThat(property.name()).doesNotContainPattern(CAMEL_CASE);
              assertThat(property.description()).as(property.name()).endsWith(".");
              boolean explainsItself =
                  property.description().contains("Default:")
                      || property.description().contains("Without")
                      || property.description().contains("Overrides");
              boolean isCollection =
                  property.type().equals("list") || property.type().equals("by name");
              assertThat(
                      !property.defaultValue().isEmpty()
                          || explainsItself
                          || isCollection
                          || property.name().equals("asynq4j.redis.ssl-bundle"))
                  .as("the default of " + property.name())
                  .isTrue();
            });
  }

  @Test
  void thePageListsThePropertiesOfTheMetadata() throws IOException {
    StringBuilder table = new StringBuilder();
    String group = "";
    for (Property property : properties()) {
      String[] parts = property.name().split("\\.", -1);
      String own =
          parts[0].equals("management") || parts.length < 3 ? "asynq4j" : parts[0] + "." + parts[1];
      if (!own.equals(group)) {
        group = own;
        table.append("\n## ").append(group).append("\n\n");
        table.append("| property | value | default | description |\n|---|---|---|---|\n");
      }
      table.append(property.row()).append('\n');
      properties(property.name()).forEach(row -> table.append(row).append('\n'));
    }
    String page = Files.readString(PAGE);
    String expected = page.substring(0, page.indexOf(BEGIN) + BEGIN.length()) + table;
    if (!page.equals(expected)) {
      Files.createDirectories(Path.of("target"));
      Files.writeString(Path.of("target/spring-boot-properties.md"), expected);
    }
    assertThat(page)
        .as("copy target/spring-boot-properties.md of this module to " + PAGE)
        .isEqualTo(expected);
  }

  /** What a queue has, which the metadata only names as a type. */
  private static List<String> properties(String map) {
    if (!map.equals("asynq4j.server.queues")) {
      return List.of();
    }
    List<String> rows = new ArrayList<>();
    for (var component : AsynqProperties.Queue.class.getRecordComponents()) {
      String name =
          CAMEL_CASE
              .matcher(component.getName())
              .replaceAll(found -> "-" + found.group().toLowerCase(Locale.ROOT));
      var given =
          AsynqProperties.Queue.class.getDeclaredConstructors()[0].getParameters()[rows.size()]
              .getAnnotation(DefaultValue.class);
      String value = given == null ? "" : given.value()[0];
      rows.add(
          new Property(
                  map + ".NAME." + name,
                  component.getType() == String.class
                      ? "string"
                      : component.getType() == boolean.class ? "true, false" : "number",
                  value,
                  Objects.requireNonNull(QUEUE.get(name), name))
              .row());
    }
    return rows;
  }
}
