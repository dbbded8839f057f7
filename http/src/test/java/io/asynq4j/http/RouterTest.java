package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RouterTest {

  private static Route<String, HttpExchange> route(String operation, String method, String path) {
    return Route.of(operation, method, path, "anybody", exchange -> ApiResponse.NO_CONTENT);
  }

  private final Router<String, HttpExchange> router =
      new Router<>(
          List.of(
              route("get", "GET", "/tasks/{id}"),
              route("remove", "DELETE", "/tasks/{id}"),
              route("batch", "POST", "/tasks/batch"),
              route("root", "GET", "/")),
          segment -> segment.replace('~', '/'),
          TestProblems.INSTANCE);

  private String operation(String method, String path) {
    return router.find(method, path).map(match -> match.route().operation()).orElse("none");
  }

  @Test
  void findsARouteByMethodAndPath() {
    assertThat(operation("GET", "/tasks/a")).isEqualTo("get");
    assertThat(operation("DELETE", "/tasks/a")).isEqualTo("remove");
    assertThat(operation("GET", "/")).isEqualTo("root");
    assertThat(operation("GET", "/tasks")).isEqualTo("none");
    assertThat(operation("GET", "/tasks/a/b")).isEqualTo("none");
  }

  @Test
  void decodesVariablesThatAreNotEmpty() {
    assertThat(router.find("GET", "/tasks/a~b").orElseThrow().variables())
        .isEqualTo(Map.of("id", "a/b"));
    assertThat(operation("GET", "/tasks/")).isEqualTo("none");
  }

  @Test
  void answersHeadAsGet() {
    assertThat(operation("HEAD", "/tasks/a")).isEqualTo("get");
  }

  @Test
  void prefersALiteralToAVariable() {
    assertThat(operation("POST", "/tasks/batch")).isEqualTo("batch");
    assertThatThrownBy(() -> router.find("GET", "/tasks/batch"))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.extras()).containsEntry("allow", List.of("POST")));
  }

  @Test
  void refusesOtherMethods() {
    assertThatThrownBy(() -> router.find("PUT", "/tasks/a"))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> {
              assertThat(problem.status()).isEqualTo(405);
              assertThat(problem.extras()).containsEntry("allow", List.of("GET", "DELETE"));
            });
  }
}
