package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The OpenAPI document matches the API. */
class OpenApiIT {

  @Test
  void everyRouteIsInTheDocumentAndNothingElse() {
    try (ServiceFixture fixture = new ServiceFixture()) {
      TaskService service = fixture.start("");
      TreeSet<String> routes = new TreeSet<>();
      service.routes().forEach(route -> routes.add(route.method() + " " + route.path()));
      TreeSet<String> documented = new TreeSet<>();
      JsonNode paths = fixture.get("/v1/openapi.json").at("/paths");
      for (String path : paths.propertyNames()) {
        for (String method : paths.get(path).propertyNames()) {
          documented.add(method.toUpperCase(Locale.ROOT) + " " + path);
        }
      }
      assertThat(documented).isEqualTo(routes);
    }
  }

  @Test
  void noRequestMayHaveFieldsThatAreNotDocumented() {
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start("");
      JsonNode document = fixture.get("/v1/openapi.json").json();
      List<String> open = new ArrayList<>();
      JsonNode paths = document.get("paths");
      for (String path : paths.propertyNames()) {
        for (String method : paths.get(path).propertyNames()) {
          for (JsonNode content : paths.get(path).get(method).at("/requestBody/content")) {
            findOpen(document, content.get("schema"), method + " " + path, open);
          }
        }
      }
      assertThat(open).isEmpty();
    }
  }

  /** Finds objects that allow any field. Values without a type intentionally accept any JSON. */
  private static void findOpen(
      JsonNode document, JsonNode schema, String place, List<String> open) {
    if (schema.has("$ref")) {
      String reference = schema.get("$ref").stringValue();
      findOpen(document, document.at(reference.substring(1)), place, open);
      return;
    }
    if ((schema.has("properties") || schema.path("type").asString("").equals("object"))
        && schema.path("additionalProperties").asBoolean(true)) {
      open.add(place);
    }
    for (String name : schema.path("properties").propertyNames()) {
      findOpen(document, schema.get("properties").get(name), place + " " + name, open);
    }
    for (JsonNode alternative : schema.path("oneOf")) {
      findOpen(document, alternative, place, open);
    }
    if (schema.has("items")) {
      findOpen(document, schema.get("items"), place, open);
    }
  }

  @Test
  void everyOperationWithABodyDocumentsHowItIsRejected() {
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start("");
      JsonNode paths = fixture.get("/v1/openapi.json").at("/paths");
      for (String path : paths.propertyNames()) {
        for (String method : paths.get(path).propertyNames()) {
          if (!method.equals("get")) {
            assertThat(paths.get(path).get(method).get("responses").propertyNames())
                .as(method + " " + path)
                .contains("408", "413", "503");
          }
        }
      }
    }
  }
}
