package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.service.ServiceFixture.Reply;
import io.asynq4j.service.auth.ApiKey;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operation of the service: TLS, metrics, the audit log, the dashboard. */
class OperationsIT {

  private static final char[] PASSWORD = "password".toCharArray();

  @TempDir private Path directory;

  private final String operator = ApiKey.create();
  private final String submitter = ApiKey.create();
  private final String narrow = ApiKey.create();
  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private String keys() {
    return """
    keys:
      - { name: chief, hash: "%s", scopes: [operate] }
      - { name: shop, hash: "%s", scopes: [submit] }
      - { name: narrow, hash: "%s", scopes: [operate], names: ["a*"] }
    """
        .formatted(ApiKey.hashOf(operator), ApiKey.hashOf(submitter), ApiKey.hashOf(narrow));
  }

  private static String[] as(String key) {
    return new String[] {"Authorization", "Bearer " + key};
  }

  @Test
  void operationsAndRefusalsAreAuditedAndTasksAreNot() throws IOException {
    Path audit = directory.resolve("audit");
    fixture.start(
        keys()
            + """
            log: { audit: "%s", requests: true }
            tasks: { a: { kind: worker } }
            """
                .formatted(audit));
    fixture.post("/v1/tasks", "{\"name\":\"a\",\"id\":\"1\"}", as(submitter));
    fixture.post("/v1/tasks/1/cancel", "", as(submitter));
    fixture.post("/v1/tasks/1/cancel", "", as("asq_wrong"));
    fixture.post("/v1/tasks/1/cancel", "", as(operator));
    List<String> lines = Files.readAllLines(audit);
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).contains("\"key\":\"shop\"", "\"status\":403");
    assertThat(lines.get(1)).contains("\"key\":null", "\"status\":401");
    assertThat(lines.get(2))
        .contains("\"key\":\"chief\"", "/v1/tasks/1/cancel", "\"from\":\"127.0.0.1\"");
    assertThat(lines.toString()).doesNotContain("asq_");
  }

  @Test
  void aTaskThatIsDeletedWhileItIsChangedIsGone() throws Exception {
    fixture.start("tasks: { a: { kind: worker } }");
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      String path = "/v1/tasks/%d/%s".formatted(i, i % 2 == 0 ? "cancel" : "retry");
      fixture.post("/v1/tasks", "{\"name\":\"a\",\"id\":\"%d\",\"in\":\"1h\"}".formatted(i));
      CompletableFuture<Reply> changed = fixture.sendAsync("POST", path, "");
      // The deletion happens between any two steps of the change.
      LockSupport.parkNanos(random.nextInt(3_000_000));
      fixture.inspector.queue("a").delete(Integer.toString(i));
      Reply reply = changed.get(60, TimeUnit.SECONDS);
      assertThat(reply.status()).as(reply.body()).isIn(200, 404, 410);
    }
  }

  @Test
  void metricsCoverRequestsQueuesAndHostedTasks() {
    fixture.start(keys() + "tasks: { a: { kind: worker } }");
    fixture.post("/v1/tasks", "{\"name\":\"a\"}", as(submitter));
    assertThat(fixture.get("/metrics", as(submitter)).status()).isEqualTo(403);
    Reply metrics = fixture.get("/metrics", as(operator));
    assertThat(metrics.header("Content-Type")).startsWith("text/plain");
    assertThat(metrics.body())
        .contains("asynq_service_requests_seconds_count{method=\"POST\",route=\"/v1/tasks\"")
        .contains("asynq_service_waiting 0")
        .contains("queue=\"a\"");
  }

  @Test
  void theDashboardIsBehindTheSamePortAndAKeyThatOperates() {
    fixture.start(
        keys()
            + "dashboard: { enabled: true }\ntasks: { a: { kind: worker }, b: { kind: worker } }");
    Reply refused = fixture.get("/dashboard/");
    assertThat(refused.status()).isEqualTo(401);
    assertThat(refused.header("WWW-Authenticate")).startsWith("Basic");
    assertThat(fixture.get("/dashboard/", as(submitter)).status()).isEqualTo(401);
    String basic =
        Base64.getEncoder().encodeToString(("me:" + operator).getBytes(StandardCharsets.UTF_8));
    Reply page = fixture.get("/dashboard/", "Authorization", "Basic " + basic);
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.header("Content-Type")).startsWith("text/html");
    fixture.post("/v1/tasks", "{\"name\":\"a\"}", as(submitter));
    fixture.post("/v1/tasks", "{\"name\":\"b\"}", as(submitter));
    // Queues are read every few seconds.
    await()
        .untilAsserted(
            () -> {
              Reply queues = fixture.get("/dashboard/api/v1/queues", as(operator));
              assertThat(queues.status()).isEqualTo(200);
              assertThat(queues.body()).contains("\"a\"", "\"b\"");
            });
    assertThat(fixture.get("/dashboard/api/v1/queues", as(narrow)).body())
        .contains("\"a\"")
        .doesNotContain("\"b\"");
  }

  @Test
  void withoutKeysTheDashboardIsForThisMachineAndOffUnlessAskedFor() {
    fixture.start("dashboard: { enabled: true, readOnly: true }");
    assertThat(fixture.get("/dashboard/").status()).isEqualTo(200);
    fixture.start("");
    assertThat(fixture.get("/dashboard/").status()).isEqualTo(404);
  }

  @Test
  void requestsCanBeEncryptedAndANewCertificateIsTakenUpByAReload() throws Exception {
    Path certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    SSLContext first = makeCertificate(certificate, key);
    ServiceConfig config =
        fixture.config(
            """
            listen: { port: 0, tls: { certificate: "%s", key: "%s" } }
            tasks: { a: { kind: worker } }
            """
                .formatted(certificate, key));
    TaskService service = fixture.start(TaskService.builder(config));
    assertThat(service.uri()).hasScheme("https");
    assertThat(status(first, service.uri())).isEqualTo(200);

    SSLContext second = makeCertificate(certificate, key);
    service.reload(config);
    assertThat(status(second, service.uri())).isEqualTo(200);
  }

  private static int status(SSLContext trusting, URI service) throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(trusting).build();
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(service.resolve("/livez")).build(), BodyHandlers.ofString());
    assertThat(answer.headers().firstValue("Strict-Transport-Security"))
        .contains("max-age=31536000");
    return answer.statusCode();
  }

  /** Writes a new key pair, and returns an SSL context that trusts only it. */
  private SSLContext makeCertificate(Path certificate, Path key) throws Exception {
    Path file = directory.resolve("store-" + System.nanoTime());
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "it",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    Files.writeString(key, pem("PRIVATE KEY", store.getKey("it", PASSWORD).getEncoded()));
    X509Certificate made = (X509Certificate) Objects.requireNonNull(store.getCertificate("it"));
    Files.writeString(certificate, pem("CERTIFICATE", made.getEncoded()));
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("it", made);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static String pem(String kind, byte[] encoded) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(
            kind,
            Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(encoded),
            kind);
  }
}
