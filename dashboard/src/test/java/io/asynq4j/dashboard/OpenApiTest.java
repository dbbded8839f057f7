package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The document of the API and its routes say the same. */
class OpenApiTest {

  private static final Set<String> METHODS = Set.of("get", "post", "put", "delete", "patch");

  private final JsonNode document =
      new YAMLMapper().readTree(Objects.requireNonNull(Resources.read("openapi.yaml")));

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
      for (Route route : servlet.application().router().routes()) {
        operations.put(
            route.operation(),
            route.method().toLowerCase(Locale.ROOT)
                + " "
                + route.path()
                + " "
                + (route.role() == null ? "none" : route.role().word()));
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
  void everyChangeNeedsMoreThanAViewer() {
    assertThat(documented().values())
        .filteredOn(operation -> !operation.startsWith("get "))
        .isNotEmpty()
        .noneMatch(operation -> operation.endsWith(" viewer") || operation.endsWith(" none"));
  }
}
