package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The document says what there is. */
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
          documented.add(method.toUpperCase(Locale.ROOT) + " " + path.replaceAll("\\{\\w+}", "*"));
        }
      }
      assertThat(documented).isEqualTo(routes);
    }
  }

  @Test
  void everyOperationWhoseBodyIsReceivedTellsHowThatIsRefused() {
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
