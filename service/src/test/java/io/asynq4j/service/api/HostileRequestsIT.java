package io.asynq4j.service.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.service.RawHttp;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.ServiceFixture.Reply;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Any invalid request is refused soon, with the reason. */
class HostileRequestsIT {

  private static ServiceFixture fixture;

  @BeforeAll
  static void start() {
    fixture = new ServiceFixture();
    fixture.start(
        """
        tasks:
          a: { kind: worker }
          checked:
            kind: worker
            params: { properties: { cents: { multipleOf: 0.01 }, word: { pattern: "^(a|b)*$" } } }
        """);
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  private static void assertRefused(Reply reply) {
    assertThat(reply.status()).as(reply.body()).isIn(400, 404, 409, 422);
    assertThat(reply.at("/error/message").stringValue()).isNotBlank();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1e300000",
        "1e-300000",
        "1e999999999",
        "-1e2147483647",
        "1e-2147483649",
        "1e99999999999999999999",
        "0e-999999999"
      })
  void aNumberThatNothingCanComputeWithIsRefused(String number) {
    String body = "{\"name\":\"checked\",\"params\":{\"cents\":%s}}".formatted(number);
    assertRefused(fixture.post("/v1/tasks", body));
  }

  @Test
  void numbersKeepTheirDigitsAndAreChecked() {
    String large = "123456789012345678901234567890.25";
    Reply kept =
        fixture.post(
            "/v1/tasks", "{\"name\":\"checked\",\"params\":{\"cents\":%s}}".formatted(large));
    assertThat(kept.status()).isEqualTo(201);
    assertThat(kept.body()).contains(large);
    Reply refused =
        fixture.post("/v1/tasks", "{\"name\":\"checked\",\"params\":{\"cents\":1.001}}");
    assertThat(refused.at("/error/field").stringValue()).isEqualTo("params.cents");
  }

  @Test
  void aTextThatAPatternCannotBeTriedOnIsRefused() {
    String word = "ab".repeat(200_000);
    assertRefused(
        fixture.post(
            "/v1/tasks", "{\"name\":\"checked\",\"params\":{\"word\":\"%s\"}}".formatted(word)));
  }

  @Test
  void aPayloadThatOthersHaveWrittenIsLeasedAsText() {
    fixture.send("PUT", "/v1/definitions/foreign", "{}");
    fixture.client.enqueue(
        Task.of("foreign", Payload.ofUtf8("1e99999999999999999999")),
        TaskOptions.of(o -> o.queue("foreign")));
    Reply leased = fixture.post("/v1/lease", "{\"names\":[\"foreign\"]}");
    assertThat(leased.at("/tasks/0/params").stringValue()).isEqualTo("1e99999999999999999999");
  }

  static Stream<String> bodiesOfTasks() {
    return Stream.of(
        "{\"name\":\"a\",\"at\":\"+1000000000-01-01T00:00:00Z\"}",
        "{\"name\":\"a\",\"at\":\"-999999999-01-01T00:00:00Z\"}",
        "{\"name\":\"a\",\"deadline\":\"+1000000000-01-01T00:00:00Z\"}",
        "{\"name\":\"a\",\"deadline\":\"+300000000-01-01T00:00:00Z\"}",
        "{\"name\":\"a\",\"id\":{}}",
        "{\"name\":\"a\",\"id\":1.5}",
        "{\"name\":\"a\",\"id\":\"\\ud800\"}",
        "{\"name\":\"a\",\"id\":%s}".formatted("1".repeat(300)),
        "{\"name\":\"\\ud800\"}",
        "{\"name\":[]}",
        "{\"name\":\"\"}",
        "{\"name\":\"a\",\"in\":\"1s\",\"at\":\"2030-12-31T23:59:59Z\"}",
        "{\"name\":\"a\",\"retention\":\"0s\",\"in\":\"-1s\"}",
        "[]",
        "null",
        "",
        "[".repeat(5_000),
        "\u0000",
        "{\"name\":\"a\",\"\\u0000\":1}");
  }

  @ParameterizedTest
  @MethodSource("bodiesOfTasks")
  void anInvalidTaskIsRejected(String body) {
    assertRefused(fixture.post("/v1/tasks", body));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"names\":[{}]}",
        "{\"names\":[[]]}",
        "{\"names\":[null]}",
        "{\"names\":[1]}",
        "{\"names\":{}}",
        "{\"names\":[\"a\"],\"max\":1e3}",
        "{\"names\":[\"a\"],\"max\":99999999999999999999}",
        "{\"names\":[\"a\"],\"lease\":\"999999d\"}",
        "{\"names\":[\"a\"],\"wait\":\"999999d\"}"
      })
  void anInvalidLeaseDurationIsRejected(String body) {
    assertRefused(fixture.post("/v1/lease", body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "complete | {'token':'','result':1}",
        "complete | {'token':{}}",
        "complete | {'tasks':[]}",
        "complete | {'tasks':[{}]}",
        "complete | {'tasks':[1]}",
        "complete | {'tasks':{}}",
        "complete | {'token':'OTk5OTk5OTk5OTo='}",
        "complete | {'token':'MTphMTpiLg=='}",
        "extend | {'token':'MTphMTpiMDAwMDAxLWEuenp6enp6enp6enp6eg=='}",
        "snooze | {'token':'MTphMTpiMDAwMDAxLWEuMQ=='}",
        "progress | {'token':'MTphMTpiMDAwMDAxLWEuMQ==','percent':1e300}",
        "fail | {'token':'MTphMTpiMDAwMDAxLWEuMQ==','in':'x'}"
      })
  void aTokenThatIsNoneIsRefused(String verb, String body) {
    assertRefused(fixture.post("/v1/" + verb, body.replace('\'', '"')));
  }

  @Test
  void invalidReportsOnALeasedTaskAreRejected() {
    fixture.send("PUT", "/v1/definitions/said", "{}");
    fixture.post("/v1/tasks", "{\"name\":\"said\"}");
    String token =
        fixture.post("/v1/lease", "{\"names\":[\"said\"]}").at("/tasks/0/token").stringValue();
    assertRefused(said(token, "progress", "\"percent\":1e3"));
    assertRefused(said(token, "progress", "\"note\":\"\\ud800\""));
    assertRefused(said(token, "fail", "\"error\":\"\\ud800\""));
    assertRefused(said(token, "fail", "\"error\":7"));
    assertRefused(said(token, "snooze", "\"in\":{}"));
    assertRefused(said(token, "complete", "\"result\":1e300000"));
    assertRefused(said(token, "extend", "\"lease\":\"9999999d\""));
    assertThat(said(token, "fail", "\"error\":\"\",\"in\":\"999999d\"").status()).isEqualTo(200);
  }

  private static Reply said(String token, String verb, String what) {
    return fixture.post("/v1/" + verb, "{\"token\":\"%s\",%s}".formatted(token, what));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET    | /v1/tasks/",
        "GET    | /v1/tasks/%00",
        "GET    | /v1/tasks/%ED%A0%80",
        "GET    | /v1/tasks/x?wait=",
        "GET    | /v1/tasks/x?wait=999999d",
        "GET    | /v1/tasks/x?name=%ED%A0%80",
        "POST   | /v1/tasks//cancel",
        "POST   | /v1/tasks/%20/retry",
        "PUT    | /v1/definitions/",
        "PUT    | /v1/definitions/%20",
        "PUT    | /v1/definitions/}x",
        "PUT    | /v1/definitions/%ED%A0%80/limits",
        "DELETE | /v1/definitions/",
        "DELETE | /v1/definitions/%00"
      })
  void anInvalidPathIsRejected(String method, String path) {
    assertRefused(fixture.send(method, path.replace("}", "%7D"), "{}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"queue\":\"\"}",
        "{\"queue\":\"}\"}",
        "{\"timeout\":\"0s\"}",
        "{\"backoff\":\"0s\"}",
        "{\"unique\":\"0s\"}",
        "{\"unique\":\"1ms\"}",
        "{\"rate\":\"0/s\"}",
        "{\"rate\":\"99999999999999999999/s\"}",
        "{\"rate\":\"5/999999999999h\"}",
        "{\"rate\":\"\"}",
        "{\"burst\":5}",
        "{\"ordered\":1}",
        "{\"kind\":\"cmd\"}",
        "{\"retries\":-1}",
        "{\"weight\":0}"
      })
  void anInvalidDefinitionIsRejected(String body) {
    assertRefused(fixture.send("PUT", "/v1/definitions/senseless", body));
  }

  @Test
  void anUnsupportedMethodIsAnsweredWithTheAllowedOnes() {
    Reply definitions = fixture.send("PATCH", "/v1/definitions/x", "{}");
    assertThat(definitions.status()).isEqualTo(405);
    assertThat(definitions.header("Allow")).isEqualTo("DELETE, PUT");
    assertThat(fixture.get("/v1/lease").header("Allow")).isEqualTo("POST");
  }

  @Test
  void aQueryThatCannotBeDecodedIsRefused() throws Exception {
    // No client of Java sends these.
    assertThat(RawHttp.status(fixture, "GET /v1/tasks/x?wait=%zz HTTP/1.1")).isEqualTo(400);
    assertThat(RawHttp.status(fixture, "GET /v1/tasks/%zz HTTP/1.1")).isEqualTo(400);
    assertThat(RawHttp.status(fixture, "OPTIONS * HTTP/1.1")).isEqualTo(404);
  }
}
