package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.http.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Requests that schemathesis makes from both documents, sensible ones and others: no answer is a
 * failure of the server, and each is one that its document knows.
 */
@EnabledIfSystemProperty(
    named = "asynq4j.full",
    matches = "true",
    disabledReason = "thousands of generated requests: run by ./check --full")
class SchemathesisIT {

  private static final String VERSION = "4.32.5";
  private static final String CHECKS =
      "not_a_server_error,status_code_conformance,content_type_conformance,"
          + "response_headers_conformance,response_schema_conformance,unsupported_method,"
          + "allow_header_conformance";
  private static final Path ENVIRONMENT = Path.of("target", "schemathesis").toAbsolutePath();
  private static final int MINUTES = 10;

  private static ServiceFixture fixture;

  @BeforeAll
  static void start() throws Exception {
    install();
    fixture = new ServiceFixture();
  }

  @AfterAll
  static void stop() {
    if (fixture != null) {
      fixture.close();
    }
  }

  private static void install() throws Exception {
    assumeTrue(run("version.log", "python3", "--version") == 0, "there is no python3");
    if (!Files.exists(ENVIRONMENT.resolve("bin/schemathesis"))) {
      assumeTrue(
          run("venv.log", "python3", "-m", "venv", ENVIRONMENT.toString()) == 0,
          "python3 cannot make virtual environments");
      String pip = ENVIRONMENT.resolve("bin/pip").toString();
      assumeTrue(
          run("pip.log", pip, "install", "--quiet", "schemathesis==" + VERSION) == 0,
          "schemathesis cannot be installed: no package index can be reached");
    }
  }

  private static int run(String log, String... command) throws Exception {
    Files.createDirectories(ENVIRONMENT);
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .directory(ENVIRONMENT.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ENVIRONMENT.resolve(log).toFile())
              .start();
    } catch (IOException e) {
      return -1;
    }
    if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      return fail(
          "%s has not ended: %s".formatted(log, Files.readString(ENVIRONMENT.resolve(log))));
    }
    return process.exitValue();
  }

  private static void assertConforming(String name, Path document, URI base, String... more)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(ENVIRONMENT.resolve("bin/schemathesis").toString());
    command.addAll(List.of("run", document.toString(), "--url", base.toString()));
    command.addAll(List.of("--checks", CHECKS, "--continue-on-failure", "--no-color"));
    command.addAll(List.of("--max-examples", "60", "--seed", "1", "--generation-database", "none"));
    command.addAll(List.of("--suppress-health-check", "all", "--warnings", "off"));
    command.addAll(List.of("--request-timeout", "90", "--workers", "1"));
    command.addAll(List.of(more));
    int status = run(name + ".log", command.toArray(String[]::new));
    assertThat(status).as(Files.readString(ENVIRONMENT.resolve(name + ".log"))).isZero();
  }

  @Test
  void theServiceAnswersAnyRequestAsDocumented() throws Exception {
    fixture.start(
        """
        tasks:
          a: { kind: worker, retention: 1h }
          checked: { kind: worker, params: { properties: { cents: { multipleOf: 0.01 } } } }
        """);
    JsonNode document = fixture.get("/v1/openapi.json").json();
    narrow(document);
    Path file = ENVIRONMENT.resolve("service.json");
    Files.write(file, Json.bytes(document));
    assertConforming("service", file, URI.create(fixture.url()));
  }

  /** Names that there are, or nearly all requests would end with an unknown one; no long waits. */
  private static void narrow(JsonNode document) {
    ObjectNode name = (ObjectNode) document.at("/components/schemas/TaskName");
    name.putArray("enum").add("a").add("checked").add("b");
    ObjectNode lease =
        (ObjectNode)
            document.at(
                "/paths/~1v1~1lease/post/requestBody/content/application~1json/schema/properties");
    lease.putObject("wait").put("type", "string").putArray("enum").add("0s").add("20ms");
    for (JsonNode parameter : document.at("/paths/~1v1~1tasks~1{id}/get/parameters")) {
      if (parameter.get("name").stringValue().equals("wait")) {
        ((ObjectNode) parameter)
            .putObject("schema")
            .put("type", "string")
            .putArray("enum")
            .add("1s");
      }
    }
  }

  private static String narrow(String yaml) {
    String names = yaml;
    for (String[] part : new String[][] {{"queue", "mails, none"}, {"id", "\"1\", \"2\", none"}}) {
      String path = "name: %s, in: path, required: true, schema: {".formatted(part[0]);
      assertThat(names).contains(path);
      names = names.replace(path, path + "enum: [%s], ".formatted(part[1]));
    }
    return names;
  }

  @Test
  void theDashboardAnswersAnyRequestAsDocumented() throws Exception {
    for (int i = 0; i < 20; i++) {
      String id = Integer.toString(i);
      fixture.client.enqueue(
          Task.of("mail", Payload.ofUtf8("{\"to\":\"you\"}")),
          TaskOptions.of(o -> o.queue("mails").id(id)));
    }
    try (Dashboard dashboard = Dashboard.builder(fixture.redis).port(0).start()) {
      Path file = ENVIRONMENT.resolve("dashboard.yaml");
      HttpRequest request =
          HttpRequest.newBuilder(dashboard.uri().resolve("api/v1/openapi.yaml")).build();
      String document = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
      Files.writeString(file, narrow(document));
      assertConforming(
          "dashboard",
          file,
          dashboard.uri(),
          "--header",
          "X-Asynq-Request: 1",
          // An event stream does not end.
          "--exclude-path",
          "/api/v1/events");
    }
  }
}
