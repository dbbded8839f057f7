package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.dashboard.internal.api.Exchange;
import io.asynq4j.dashboard.internal.page.ClasspathFiles;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The OpenAPI document and the routes match. */
class OpenApiTest {

  private static final Set<String> METHODS = Set.of("get", "post", "put", "delete", "patch");

  private final JsonNode document =
      new YAMLMapper().readTree(Objects.requireNonNull(ClasspathFiles.read("openapi.yaml")));

  private Map<String, String> documented() {
    Map<String, String> operations = new HashMap<>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        if (METHODS.contains(method.getKey())) {
          JsonNode operation = method.getValue();
          operations.put(
              operation.get("operationId").stringValue(),
              method.getKey() + " " + path.getKey() + " " + operation.get("x-role").stringValue());
        }
      }
    }
    return operations;
  }

  private static Map<String, String> routed() {
    Map<String, String> operations = new HashMap<>();
    // Nothing is asked of Redis before the servlet is started.
    try (RedisConnection redis =
            RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1?retryFor=0s"));
        DashboardServlet servlet = Dashboard.builder(redis).servlet()) {
      for (Route<Role, Exchange> route : servlet.application().router().routes()) {
        operations.put(
            route.operation(),
            route.method().toLowerCase(Locale.ROOT)
                + " "
                + route.path()
                + " "
                + (route.permission() == null ? "none" : route.permission().word()));
      }
    }
    return operations;
  }

  @Test
  void everyRouteIsDocumentedWithItsMethodPathAndRoleAndNothingElseIs() {
    assertThat(routed()).isEqualTo(documented());
  }

  @Test
  void everyPartOfAPathIsAParameter() {
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      Set<String> named = new TreeSet<>();
      for (String segment : path.getKey().split("/", -1)) {
        if (segment.startsWith("{")) {
          named.add(segment.substring(1, segment.length() - 1));
        }
      }
      Set<String> declared = new TreeSet<>();
      JsonNode parameters = path.getValue().path("parameters");
      for (JsonNode parameter : parameters) {
        String reference = parameter.path("$ref").asString("");
        JsonNode resolved = document.at(reference.isEmpty() ? "/none" : reference.substring(1));
        if (resolved.path("in").asString("").equals("path")) {
          declared.add(resolved.get("name").stringValue());
        }
      }
      assertThat(declared).as(path.getKey()).isEqualTo(named);
    }
  }

  @Test
  void everyReferenceLeadsSomewhere() {
    assertThat(document.findValuesAsString("$ref"))
        .isNotEmpty()
        .allSatisfy(
            reference ->
                assertThat(document.at(reference.substring(1)).isMissingNode())
                    .as(reference)
                    .isFalse());
  }

  @Test
  void noRequestMayHaveFieldsThatAreNotDocumented() {
    List<String> open = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        for (JsonNode content : method.getValue().at("/requestBody/content")) {
          findOpen(content.get("schema"), false, method.getKey() + " " + path.getKey(), open);
        }
      }
    }
    assertThat(open).isEmpty();
  }

  /**
   * Finds objects that allow any field. Values without a type are any JSON, as is meant, and those
   * with additionalProperties of a type are maps.
   *
   * @param isPart whether it is one of several that are closed together
   */
  private void findOpen(JsonNode schema, boolean isPart, String place, List<String> open) {
    if (schema.has("$ref")) {
      String reference = schema.get("$ref").stringValue();
      findOpen(document.at(reference.substring(1)), isPart, place, open);
      return;
    }
    boolean isClosed = isFalse(schema.path("unevaluatedProperties"));
    boolean isObject =
        schema.has("properties") || schema.path("type").toString().contains("object");
    JsonNode more = schema.path("additionalProperties");
    if ((isObject || schema.has("allOf"))
        && !isPart
        && !isClosed
        && !isFalse(more)
        && !more.has("type")) {
      open.add(place);
    }
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      findOpen(property.getValue(), false, place + " " + property.getKey(), open);
    }
    for (JsonNode part : schema.path("allOf")) {
      findOpen(part, isClosed, place, open);
    }
    for (JsonNode alternative : schema.path("oneOf")) {
      findOpen(alternative, isPart, place, open);
    }
    if (schema.has("items")) {
      findOpen(schema.get("items"), false, place, open);
    }
  }

  private static boolean isFalse(JsonNode node) {
    return node.isBoolean() && !node.booleanValue();
  }

  @Test
  void theStatesAndActionsOfTasksAreAllDocumented() {
    JsonNode states =
        document.at(
            "/components/schemas/Session/properties/actions/additionalProperties/items/enum");
    assertThat(states.valueStream().map(JsonNode::stringValue))
        .containsExactly(
            Arrays.stream(TaskState.values()).map(TaskState::word).toArray(String[]::new));
    List<String> actions = Arrays.stream(TaskAction.values()).map(TaskAction::word).toList();
    assertThat(
            document
                .at("/components/schemas/TaskDetail/allOf/1/properties/actions/items/enum")
                .valueStream()
                .map(JsonNode::stringValue))
        .containsExactlyInAnyOrderElementsOf(actions);
    assertThat(
            document.at("/components/schemas/Session/properties/actions/description").stringValue())
        .contains(String.join(", ", actions));
  }

  @Test
  void everyChangeNeedsMoreThanAViewer() {
    assertThat(documented().values())
        .filteredOn(operation -> !operation.startsWith("get "))
        .isNotEmpty()
        .noneMatch(operation -> operation.endsWith(" viewer") || operation.endsWith(" none"));
  }
}
