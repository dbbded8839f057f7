package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.internal.api.Exchange;
import io.asynq4j.dashboard.internal.api.PathSegmentCodec;
import io.asynq4j.dashboard.internal.auth.LoginLimiter;
import io.asynq4j.dashboard.internal.live.EventBroadcaster;
import io.asynq4j.http.Route;
import java.io.IOException;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Authentication, authorization and protection against other sites. */
class SecurityIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private static String hash(String password) {
    return PasswordHash.of(password.toCharArray(), 1_000).toString();
  }

  private static final Credentials CREDENTIALS =
      Credentials.of(
          List.of(
              "user anna admin * " + hash("anna's word"),
              "user otto operator mail-*,report " + hash("otto's word"),
              "user vera viewer * " + hash("vera's word"),
              "token ci operator * " + hash("0123456789abcdef")));

  private static Dashboard withLogins() {
    return on.start(builder -> builder.access(a -> a.credentials(CREDENTIALS)));
  }

  // ---- where it listens

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
  void doesNotListenBeyondTheLoopbackWithoutAuthentication(String address) {
    assertThatThrownBy(() -> Dashboard.builder(on.redis).host(address).port(0).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("without authentication")
        .hasMessageContaining("credentials");
  }

  @Test
  void listensEverywhereWithAuthentication() {
    Dashboard dashboard =
        on.start(builder -> builder.host("0.0.0.0").access(a -> a.credentials(CREDENTIALS)));

    on.api(dashboard, "/session").get().isProblem(401, "unauthorized");
    on.api(dashboard, "/session").basic("vera", "vera's word").get().is(200);
  }

  @Test
  void aNameThatLeadsToThisMachineDoesNotOpenADashboardWithoutLogin() throws IOException {
    Dashboard dashboard = on.start();

    assertThat(raw(dashboard, "GET /api/v1/session HTTP/1.1", "Host: evil.example"))
        .startsWith("HTTP/1.1 403");
    assertThat(raw(dashboard, "GET /api/v1/session HTTP/1.1", "Host: localhost:1"))
        .startsWith("HTTP/1.1 200");
    Dashboard allowing = on.start(builder -> builder.access(a -> a.allowHost("dash.internal")));
    assertThat(raw(allowing, "GET /api/v1/session HTTP/1.1", "Host: dash.internal"))
        .startsWith("HTTP/1.1 200");
  }

  /** As it stands, without a client that would put it right. */
  private static String raw(Dashboard dashboard, String... lines) throws IOException {
    try (Socket socket = new Socket(dashboard.uri().getHost(), dashboard.uri().getPort())) {
      socket.setSoTimeout(10_000);
      String request = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  // ---- authentication

  @Test
  void asksForALoginAndTakesPasswordsAndTokens() {
    Dashboard dashboard = withLogins();

    DashboardFixture.Answer refused =
        on.api(dashboard, "/session").get().isProblem(401, "unauthorized");
    assertThat(refused.header("WWW-Authenticate")).startsWith("Basic realm=");
    on.api(dashboard, "/session").basic("anna", "wrong word").get().isProblem(401, "unauthorized");
    on.api(dashboard, "/session").basic("nobody", "anna's word").get().is(401);
    on.api(dashboard, "/session").bearer("ci.wrong").get().is(401);
    on.api(dashboard, "/session").bearer("anna.anna's word").get().is(401);
    on.call(dashboard, "/").get().is(401);
    on.call(dashboard, "/metrics").get().is(401);
    on.call(dashboard, "/health").get().is(200);
    JsonNode anna = on.api(dashboard, "/session").basic("anna", "anna's word").get().is(200).json();
    JsonNode ci = on.api(dashboard, "/session").bearer("ci.0123456789abcdef").get().is(200).json();
    assertThat(anna.get("user").stringValue()).isEqualTo("anna");
    assertThat(anna.get("role").stringValue()).isEqualTo("admin");
    assertThat(ci.get("role").stringValue()).isEqualTo("operator");
  }

  @Test
  void noSecretIsSentToTheBrowser() {
    Dashboard dashboard = withLogins();

    for (String path : List.of("/session", "/redis", "/redis/info", "/overview", "/audit")) {
      String text = on.api(dashboard, path).basic("anna", "anna's word").get().is(200).text();
      assertThat(text).doesNotContain("pbkdf2").doesNotContain("anna's word");
    }
  }

  @Test
  void guessingPasswordsGetsSlow() {
    Dashboard dashboard = withLogins();
    on.api(dashboard, "/session").basic("vera", "vera's word").get().is(200);
    for (int i = 0; i < 5; i++) {
      on.api(dashboard, "/session").basic("anna", "guess " + i).get().is(401);
    }

    DashboardFixture.Answer limited =
        on.api(dashboard, "/session").basic("anna", "anna's word").get().isProblem(429, "too-many");

    assertThat(Integer.parseInt(limited.header("Retry-After"))).isBetween(1, 300);
    // A user who is logged in is not locked out by failed logins from the same address.
    on.api(dashboard, "/session").basic("vera", "vera's word").get().is(200);
  }

  @Test
  void clientsBehindAReverseProxyAreDistinguished() {
    Dashboard dashboard =
        on.start(
            builder -> builder.access(a -> a.credentials(CREDENTIALS).forwardedBy("127.0.0.1")));
    for (int i = 0; i < LoginLimiter.PER_NAME; i++) {
      // What a client writes before the address that the proxy adds does not count.
      guess(dashboard, "anna", "198.51.100." + i + ", 203.0.113.9").is(401);
    }

    guess(dashboard, "anna", "203.0.113.9").isProblem(429, "too-many");
    guess(dashboard, "anna", "203.0.113.10").is(401);
    on.api(dashboard, "/session")
        .basic("anna", "anna's word")
        .header("X-Forwarded-For", "203.0.113.11")
        .get()
        .is(200);
  }

  @Test
  void forwardedAddressesCountOnlyFromATrustedProxy() {
    Dashboard dashboard =
        on.start(
            builder -> builder.access(a -> a.credentials(CREDENTIALS).forwardedBy("10.0.0.0/8")));
    for (int i = 0; i < LoginLimiter.PER_NAME; i++) {
      guess(dashboard, "anna", "203.0.113." + i).is(401);
    }

    guess(dashboard, "anna", "203.0.113.99").isProblem(429, "too-many");
  }

  private static DashboardFixture.Answer guess(Dashboard dashboard, String name, String client) {
    return on.api(dashboard, "/session")
        .basic(name, "guess")
        .header("X-Forwarded-For", client)
        .get();
  }

  @Test
  void theUserHeaderCountsOnlyFromATrustedProxy() {
    TrustedProxy here =
        TrustedProxy.of(List.of("127.0.0.1"), "X-Forwarded-User", Grant.of(Role.VIEWER))
            .with("anna", Grant.of(Role.ADMIN));
    Dashboard dashboard = on.start(builder -> builder.access(a -> a.trustedProxy(here)));
    TrustedProxy elsewhere =
        TrustedProxy.of(List.of("10.0.0.0/8"), "X-Forwarded-User", Grant.of(Role.ADMIN));
    Dashboard other = on.start(builder -> builder.access(a -> a.trustedProxy(elsewhere)));

    JsonNode anna =
        on.api(dashboard, "/session").header("X-Forwarded-User", "anna").get().is(200).json();
    JsonNode bob =
        on.api(dashboard, "/session").header("X-Forwarded-User", "bob").get().is(200).json();
    assertThat(anna.get("role").stringValue()).isEqualTo("admin");
    assertThat(bob.get("role").stringValue()).isEqualTo("viewer");
    on.api(dashboard, "/session").get().isProblem(401, "unauthorized");
    on.api(other, "/session")
        .header("X-Forwarded-User", "anna")
        .get()
        .isProblem(401, "unauthorized");
  }

  // ---- authorization

  @Test
  void aViewerChangesNothing() {
    on.enqueue("mail", "t", o -> o.id("a"));
    Dashboard dashboard = withLogins();

    on.api(dashboard, "/queues").basic("vera", "vera's word").get().is(200);
    for (Route<Role, Exchange> route : routes()) {
      if (route.changes()) {
        String path = route.path().replace("{queue}", "mail").replace("{id}", "a");
        on.call(dashboard, path)
            .basic("vera", "vera's word")
            .change(route.method(), "")
            .isProblem(403, "forbidden");
      }
    }
    assertThat(on.inspector.queue("mail").task("a").state()).isEqualTo(TaskState.PENDING);
  }

  private static List<Route<Role, Exchange>> routes() {
    try (DashboardServlet servlet = Dashboard.builder(on.redis).servlet()) {
      return servlet.application().router().routes();
    }
  }

  @Test
  void aReadOnlyDashboardRejectsChangesOfAllUsers() {
    on.enqueue("mail", "t", o -> o.id("a"));
    Dashboard dashboard = on.start(builder -> builder.readOnly(true));

    for (Route<Role, Exchange> route : routes()) {
      if (route.changes()) {
        String path = route.path().replace("{queue}", "mail").replace("{id}", "a");
        on.call(dashboard, path).change(route.method(), "").isProblem(403, "read-only");
      }
    }
    JsonNode session = on.api(dashboard, "/session").get().json();
    assertThat(session.get("readOnly").booleanValue()).isTrue();
    assertThat(session.get("role").stringValue()).isEqualTo("viewer");
    assertThat(on.api(dashboard, "/queues/mail/tasks/a").get().json().get("actions")).isEmpty();
  }

  @Test
  void anOperatorCannotUseActionsOfAdministrators() {
    on.enqueue("mail-1");
    Dashboard dashboard = withLogins();

    on.api(dashboard, "/queues/mail-1?force=true")
        .bearer("ci.0123456789abcdef")
        .delete()
        .isProblem(403, "forbidden");
    on.api(dashboard, "/queues/mail-1/limits")
        .bearer("ci.0123456789abcdef")
        .put("{\"maxActive\":0}")
        .isProblem(403, "forbidden");
    on.api(dashboard, "/jobs")
        .bearer("ci.0123456789abcdef")
        .post("{\"action\":\"doctor\",\"repair\":true}")
        .isProblem(403, "forbidden");
    on.api(dashboard, "/queues/mail-1/pause").bearer("ci.0123456789abcdef").post("").is(204);
    on.api(dashboard, "/queues/mail-1?force=true").basic("anna", "anna's word").delete().is(204);
  }

  @Test
  void hiddenQueuesDoNotExistForTheUser() {
    on.enqueue("mail-1", "t", o -> o.id("a"));
    on.enqueue("billing", "t", o -> o.id("b"));
    Dashboard dashboard = withLogins();

    JsonNode queues =
        on.api(dashboard, "/queues").basic("otto", "otto's word").get().is(200).json();
    assertThat(queues.get("items").findValuesAsString("queue")).containsExactly("mail-1");
    JsonNode overview = on.api(dashboard, "/overview").basic("otto", "otto's word").get().json();
    assertThat(overview.at("/sizes/pending").intValue()).isEqualTo(1);
    JsonNode levels =
        on.api(dashboard, "/history/levels").basic("otto", "otto's word").get().is(200).json();
    assertThat(levels.at("/points/0/sizes/pending").intValue()).isEqualTo(1);
    assertThat(levels.at("/points/0").has("workers")).isFalse();
    JsonNode all =
        on.api(dashboard, "/history/levels").basic("anna", "anna's word").get().is(200).json();
    assertThat(all.at("/points/0/sizes/pending").intValue()).isEqualTo(2);
    on.api(dashboard, "/history/levels?queue=billing")
        .basic("otto", "otto's word")
        .get()
        .isProblem(404, "queue-not-found");
    JsonNode found =
        on.api(dashboard, "/search?q=t").basic("otto", "otto's word").get().is(200).json();
    assertThat(found.get("items").findValuesAsString("id")).containsExactly("a");
    JsonNode exact =
        on.api(dashboard, "/search?q=queue:billing").basic("otto", "otto's word").get().json();
    assertThat(exact.get("items")).isEmpty();
    for (Route<Role, Exchange> route : routes()) {
      if (route.path().contains("{queue}") && route.permission() != Role.ADMIN) {
        String path = route.path().replace("{queue}", "billing").replace("{id}", "b");
        DashboardFixture.Call call = on.call(dashboard, path).basic("otto", "otto's word");
        DashboardFixture.Answer answer =
            route.changes()
                ? call.change(route.method(), "{\"type\":\"t\",\"action\":\"run\",\"ids\":[\"b\"]}")
                : call.get();
        assertThat(answer.status()).as(route.operation()).isIn(404, 400);
        assertThat(answer.text()).doesNotContain("pending");
      }
    }
    on.api(dashboard, "/queues/mail-1/tasks/a/move")
        .basic("otto", "otto's word")
        .post("{\"queue\":\"billing\"}")
        .isProblem(404, "queue-not-found");
    on.api(dashboard, "/history?queue=billing")
        .basic("otto", "otto's word")
        .get()
        .isProblem(404, "queue-not-found");
    on.call(dashboard, "/metrics").basic("otto", "otto's word").get().isProblem(403, "forbidden");
    on.api(dashboard, "/jobs")
        .basic("otto", "otto's word")
        .post("{\"action\":\"doctor\"}")
        .isProblem(403, "forbidden");
    assertThat(on.api(dashboard, "/audit").basic("anna", "anna's word").get().json().toString())
        .as("a refused check is recorded, although a check only reads")
        .contains("The check reads all queues");
    assertThat(on.inspector.queue("billing").task("b").state()).isEqualTo(TaskState.PENDING);
  }

  @Test
  void usersWithoutAccessToAllQueuesSeeOnlyBasicRedisInfo() {
    Dashboard dashboard = withLogins();

    JsonNode some =
        on.api(dashboard, "/redis/info").basic("otto", "otto's word").get().is(200).json();
    JsonNode all =
        on.api(dashboard, "/redis/info").basic("vera", "vera's word").get().is(200).json();

    assertThat(some.get("info").propertyNames())
        .containsExactlyInAnyOrder(
            "redis_version", "redis_mode", "cluster_enabled", "uptime_in_seconds");
    assertThat(all.get("info").propertyNames()).contains("used_memory", "config_file");
  }

  @Test
  void oneUserCannotExhaustTheEventStreams() throws IOException {
    on.enqueue("mail");
    Dashboard dashboard = withLogins();
    List<Socket> streams = new ArrayList<>();
    try {
      for (int i = 0; i < EventBroadcaster.MAX_PER_USER; i++) {
        streams.add(stream(dashboard, "vera"));
        assertThat(statusLine(streams.get(i))).startsWith("HTTP/1.1 200");
      }
      Socket tooMany = stream(dashboard, "vera");
      streams.add(tooMany);
      Socket other = stream(dashboard, "anna");
      streams.add(other);

      assertThat(statusLine(tooMany)).startsWith("HTTP/1.1 503");
      assertThat(statusLine(other)).startsWith("HTTP/1.1 200");
    } finally {
      for (Socket stream : streams) {
        stream.close();
      }
    }
  }

  private static Socket stream(Dashboard dashboard, String user) throws IOException {
    Socket socket = new Socket(dashboard.uri().getHost(), dashboard.uri().getPort());
    socket.setSoTimeout(30_000);
    String login =
        Base64.getEncoder()
            .encodeToString((user + ":" + user + "'s word").getBytes(StandardCharsets.UTF_8));
    String request =
        "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic "
            + login
            + "\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    return socket;
  }

  private static String statusLine(Socket socket) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = socket.getInputStream().read();
        next >= 0 && next != '\r';
        next = socket.getInputStream().read()) {
      line.append((char) next);
    }
    return line.toString();
  }

  /** A regular expression would be busy with it for ever, and with it a thread of the server. */
  @Test
  void aPatternOfManyStarsIsAnsweredAtOnce() {
    on.enqueue("mail", "a".repeat(60), o -> o.id("a"));
    Dashboard dashboard = on.start();

    for (String query :
        List.of("type:" + "*a".repeat(200) + "z", "queue:" + "*".repeat(500) + "z")) {
      JsonNode found = on.api(dashboard, "/search?q=" + encoded(query)).get().is(200).json();
      assertThat(found.get("items")).isEmpty();
    }
    on.api(dashboard, "/queues?match=" + encoded("*l".repeat(200))).get().is(200);
    on.api(dashboard, "/queues?match=" + "a".repeat(600)).get().isProblem(422, "unprocessable");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  // ---- from where

  @Test
  void anotherSiteCannotMakeTheBrowserChangeAnything() {
    on.enqueue("mail", "t", o -> o.id("a"));
    Dashboard dashboard = on.start();
    String host = dashboard.uri().getAuthority();

    // A form: without a custom header, and the browser sends its origin.
    on.api(dashboard, "/queues/mail/pause").plain().post("").isProblem(403, "cross-site");
    on.api(dashboard, "/queues/mail/pause")
        .header("Origin", "https://evil.example")
        .post("")
        .isProblem(403, "cross-site");
    on.api(dashboard, "/queues/mail/pause")
        .header("Origin", "null")
        .post("")
        .isProblem(403, "cross-site");
    on.api(dashboard, "/queues/mail/pause")
        .header("Sec-Fetch-Site", "cross-site")
        .post("")
        .isProblem(403, "cross-site");
    on.api(dashboard, "/queues/mail/pause")
        .header("Sec-Fetch-Site", "same-site")
        .post("")
        .isProblem(403, "cross-site");
    on.api(dashboard, "/queues")
        .header("Sec-Fetch-Site", "cross-site")
        .get()
        .isProblem(403, "cross-site");
    assertThat(on.inspector.queue("mail").snapshot().paused()).isFalse();

    on.api(dashboard, "/queues/mail/pause")
        .header("Origin", "http://" + host)
        .header("Sec-Fetch-Site", "same-origin")
        .post("")
        .is(204);
  }

  @Test
  void noOtherOriginIsAllowedToReadAnything() {
    Dashboard dashboard = on.start();

    DashboardFixture.Answer answer =
        on.api(dashboard, "/queues").header("Origin", "https://evil.example").get();
    DashboardFixture.Answer preflight =
        on.api(dashboard, "/queues/mail/pause")
            .plain()
            .header("Origin", "https://evil.example")
            .header("Access-Control-Request-Method", "POST")
            .change("OPTIONS", "");

    assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
    assertThat(preflight.header("Access-Control-Allow-Origin")).isEmpty();
    assertThat(preflight.status()).isEqualTo(405);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/queues/mail", "/api/v1/session", "/api/v1/nothing", "/health"})
  void everyAnswerForbidsInlineScriptFramesAndGuessingOfTypes(String path) {
    Dashboard dashboard = on.start();

    DashboardFixture.Answer answer = on.call(dashboard, path).get();

    assertThat(answer.header("Content-Security-Policy"))
        .contains("default-src 'none'")
        .contains("script-src 'self'")
        .contains("frame-ancestors 'none'")
        .doesNotContain("unsafe")
        .doesNotContain("http");
    assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
    assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
    assertThat(answer.header("Server")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../openapi.yaml",
        "/..%2fopenapi.yaml",
        "/%2e%2e/openapi.yaml",
        "/web/../../openapi.yaml",
        "/..;/openapi.yaml",
        "/.%00./openapi.yaml",
        "//etc/passwd",
        "/..\\openapi.yaml",
        "/%5c..%5copenapi.yaml",
        "/Dashboard.class",
        "/../Dashboard.class",
        "/%252e%252e/openapi.yaml",
        "/META-INF/MANIFEST.MF"
      })
  void noPathLeadsOutOfThePagesFolder(String path) throws IOException {
    Dashboard dashboard = on.start();

    String answer = raw(dashboard, "GET " + path + " HTTP/1.1", "Host: localhost");

    assertThat(answer).matches(text -> text.startsWith("HTTP/1.1 40"), "is refused");
    assertThat(answer)
        .doesNotContain("openapi: 3")
        .doesNotContain("root:")
        .doesNotContain("Manifest");
  }

  @Test
  void pathsOfThePageReturnThePage() {
    Dashboard dashboard = on.start(builder -> builder.rootPath("/tasks"));

    assertThat(dashboard.uri().getPath()).isEqualTo("/tasks/");
    String index = on.call(dashboard, "/").get().is(200).text();
    assertThat(index).contains("<base href=\"/tasks/\">").doesNotContain("{{");
    assertThat(on.call(dashboard, "/queues/mail").get().is(200).text()).isEqualTo(index);
    on.call(dashboard, "/nothing.js").get().isProblem(404, "not-found");
    on.api(dashboard, "/session").get().is(200);
  }

  // ---- hidden data

  @Test
  void scriptInEveryFieldOfATaskIsReturnedAsData() {
    String evil = "</script><script>alert('x')</script><img src=x onerror=\"alert(1)\">\u2028";
    String queue = evil + "q";
    String id = evil + "i";
    on.client
        .enqueue(
            Task.of(evil + "t", Payload.ofUtf8(evil), Map.of(evil + "h", evil + "v")),
            o -> o.queue(queue).id(id).processIn(Duration.ofHours(1)))
        .orThrow();
    on.client.enqueue(Task.of(evil + "t"), o -> o.queue(queue).group(evil + "g")).orThrow();
    Dashboard dashboard = on.start(builder -> builder.title(evil));
    String path = "/queues/" + PathSegmentCodec.encode(queue);

    DashboardFixture.Answer answer =
        on.api(dashboard, path + "/tasks/" + PathSegmentCodec.encode(id)).get().is(200);
    JsonNode task = answer.json();

    assertThat(answer.header("Content-Type")).isEqualTo("application/json");
    assertThat(task.get("id").stringValue()).isEqualTo(id);
    assertThat(task.get("queue").stringValue()).isEqualTo(queue);
    assertThat(task.get("type").stringValue()).isEqualTo(evil + "t");
    assertThat(task.at("/payload/text").stringValue()).isEqualTo(evil);
    assertThat(task.get("headers").get(evil + "h").stringValue()).isEqualTo(evil + "v");
    JsonNode groups = on.api(dashboard, path + "/groups").get().is(200).json();
    assertThat(groups.at("/items/0/group").stringValue()).isEqualTo(evil + "g");
    String file =
        on.api(dashboard, path + "/tasks/" + PathSegmentCodec.encode(id) + "/payload")
            .get()
            .header("Content-Disposition");
    assertThat(file).startsWith("attachment;").doesNotContain("<");
    // Text of a request that is repeated is data too.
    String encoded = URLEncoder.encode(evil, StandardCharsets.UTF_8);
    for (String asked :
        List.of("/queues?sort=" + encoded, "/search?q=" + encoded, "/queues?redis=" + encoded)) {
      DashboardFixture.Answer problem = on.api(dashboard, asked).get();
      assertThat(problem.header("Content-Type")).startsWith("application/");
      assertThat(problem.header("X-Content-Type-Options")).isEqualTo("nosniff");
    }
    assertThat(on.call(dashboard, "/").get().text()).doesNotContain("alert");
    on.api(dashboard, path + "/tasks/" + PathSegmentCodec.encode(id) + "/archive").post("").is(204);
    JsonNode audit = on.api(dashboard, "/audit").get().json();
    assertThat(audit.at("/items/0/target").stringValue()).isEqualTo(queue + "/" + id);
  }

  @Test
  void redactedValuesAreNotShownFoundOrOverwritten() {
    on.client
        .enqueue(
            Task.of(
                "pay",
                Payload.ofUtf8("{\"card\":{\"number\":\"4111\",\"name\":\"Anna\"},\"n\":1}"),
                Map.of()),
            o -> o.queue("mail").id("a"))
        .orThrow();
    on.client
        .enqueue(Task.of("pay", Payload.ofUtf8("card 4111")), o -> o.queue("mail").id("b"))
        .orThrow();
    Dashboard dashboard =
        on.start(builder -> builder.contents(c -> c.redact("pay", "$.card.number")));

    JsonNode task = on.api(dashboard, "/queues/mail/tasks/a").get().json();
    assertThat(task.at("/payload/text").stringValue())
        .isEqualTo("{\"card\":{\"number\":\"[redacted]\",\"name\":\"Anna\"},\"n\":1}");
    assertThat(task.at("/payload/redacted").booleanValue()).isTrue();
    String file = on.api(dashboard, "/queues/mail/tasks/a/payload").get().is(200).text();
    assertThat(file).doesNotContain("4111").contains("Anna");
    // A payload that is not JSON cannot be redacted, so it is not shown.
    JsonNode text = on.api(dashboard, "/queues/mail/tasks/b").get().json();
    assertThat(text.at("/payload/kind").stringValue()).isEqualTo("hidden");
    on.api(dashboard, "/queues/mail/tasks/b/payload").get().isProblem(403, "forbidden");
    assertThat(on.api(dashboard, "/queues/mail/tasks?state=pending").get().text())
        .doesNotContain("4111");
    for (String query : List.of("4111", "payload.card.number=4111", "payload:4111")) {
      JsonNode found =
          on.api(dashboard, "/search?q=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
              .get()
              .is(200)
              .json();
      assertThat(found.get("items")).as(query).isEmpty();
    }
    assertThat(on.api(dashboard, "/search?q=Anna").get().json().get("items")).hasSize(1);
    on.api(dashboard, "/queues/mail/tasks/a/payload")
        .put("{\"payload\":{\"card\":{\"number\":\"[redacted]\",\"name\":\"Bob\"}}}")
        .isProblem(422, "unprocessable");
    assertThat(on.inspector.queue("mail").task("a").payload().utf8()).contains("4111");
  }

  @Test
  void hiddenFieldsAreNotSent() {
    on.client
        .enqueue(
            Task.of("t", Payload.ofUtf8("secret-p"), Map.of("h", "secret-h")),
            o -> o.queue("mail").id("a"))
        .orThrow();
    Dashboard dashboard =
        on.start(
            builder ->
                builder.contents(
                    contents ->
                        contents
                            .hide(HiddenField.PAYLOAD)
                            .hide(HiddenField.HEADERS)
                            .hide(HiddenField.RESULT)
                            .hide(HiddenField.ERROR)));

    assertThat(on.api(dashboard, "/queues/mail/tasks/a").get().is(200).text())
        .doesNotContain("secret");
    assertThat(on.api(dashboard, "/search?q=secret").get().json().get("items")).isEmpty();
    on.api(dashboard, "/queues/mail/tasks/a/payload").get().isProblem(403, "forbidden");
    assertThat(on.api(dashboard, "/session").get().json().get("hidden")).hasSize(4);
  }

  @Test
  void everyChangeIsInTheAuditLogWithUserTargetAndCount() {
    on.enqueue("mail", "t", o -> o.id("a"));
    on.enqueue("mail", "t", o -> o.id("b"));
    Dashboard dashboard = withLogins();

    on.api(dashboard, "/queues/mail/tasks/a/archive").basic("anna", "anna's word").post("").is(204);
    on.api(dashboard, "/queues/mail/tasks/x/archive").basic("anna", "anna's word").post("").is(404);
    on.api(dashboard, "/queues/mail/tasks/batch")
        .bearer("ci.0123456789abcdef")
        .post("{\"action\":\"delete\",\"ids\":[\"a\",\"b\"]}")
        .is(200);

    JsonNode audit = on.api(dashboard, "/audit").basic("anna", "anna's word").get().is(200).json();
    assertThat(audit.get("total").intValue()).isEqualTo(3);
    assertThat(audit.at("/items/0/user").stringValue()).isEqualTo("ci");
    assertThat(audit.at("/items/0/count").intValue()).isEqualTo(2);
    assertThat(audit.at("/items/0/target").stringValue()).isEqualTo("mail delete a,b");
    assertThat(audit.at("/items/1/outcome").stringValue()).startsWith("404 ");
    assertThat(audit.at("/items/2/action").stringValue()).isEqualTo("archiveTask");
    assertThat(audit.at("/items/2/target").stringValue()).isEqualTo("mail/a");
    assertThat(audit.at("/items/2/outcome").stringValue()).isEqualTo("done");
    assertThat(audit.at("/items/2/address").stringValue()).isEqualTo("127.0.0.1");
    on.api(dashboard, "/audit").basic("vera", "vera's word").get().isProblem(403, "forbidden");
    JsonNode own = on.api(dashboard, "/audit").basic("otto", "otto's word").get().json();
    assertThat(own.get("total").intValue()).isZero();
  }
}
