package io.asynq4j.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The standalone dashboard with a TLS certificate. */
class TlsCertificateIT {

  private static final String PASSWORD = "a long word";

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  @TempDir static Path directory;

  @BeforeAll
  static void makeCertificates() throws Exception {
    for (String kind : List.of("EC", "RSA", "Ed25519")) {
      Path store = directory.resolve(kind + ".p12");
      keytool(
          "-genkeypair",
          "-keyalg",
          kind,
          "-alias",
          "own",
          "-dname",
          "CN=dashboard",
          "-ext",
          "san=dns:localhost,ip:127.0.0.1",
          "-keystore",
          store.toString());
      write(kind + "-cert.pem", "CERTIFICATE", open(store).getCertificate("own").getEncoded());
      Key key = open(store).getKey("own", PASSWORD.toCharArray());
      write(kind + "-key.pem", "PRIVATE KEY", key.getEncoded());
    }
  }

  private static void keytool(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  private static void write(String name, String kind, byte[] bytes) throws IOException {
    Files.writeString(
        directory.resolve(name),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(
                kind, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes), kind));
  }

  private static KeyStore open(Path store) throws Exception {
    KeyStore opened = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      opened.load(in, PASSWORD.toCharArray());
    }
    return opened;
  }

  private static Path file(String name) {
    return directory.resolve(name);
  }

  /** A client that trusts the certificate of this kind and nothing else. */
  private static HttpClient trusting(String kind) throws Exception {
    Certificate certificate = open(file(kind + ".p12")).getCertificate("own");
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("own", certificate);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request)
      throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA", "Ed25519"})
  void speaksHttpsWithACertificateFromPemFiles(String kind) throws Exception {
    on.enqueue("mail");
    Dashboard dashboard =
        on.start(
            builder ->
                builder.tls(
                    TlsCertificate.ofPem(file(kind + "-cert.pem"), file(kind + "-key.pem"))));
    HttpClient client = trusting(kind);

    assertThat(dashboard.uri().getScheme()).isEqualTo("https");
    HttpResponse<String> page = send(client, HttpRequest.newBuilder(dashboard.uri()));
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Strict-Transport-Security")).contains("max-age=31536000");
    assertThat(page.body()).contains("<app-shell>");
    assertThat(page.sslSession().orElseThrow().getProtocol()).isIn("TLSv1.2", "TLSv1.3");
    URI pause = dashboard.uri().resolve("api/v1/queues/mail/pause");
    HttpResponse<String> changed =
        send(
            client,
            HttpRequest.newBuilder(pause)
                .header("X-Asynq-Request", "1")
                .header("Origin", "https://127.0.0.1:" + dashboard.uri().getPort())
                .POST(HttpRequest.BodyPublishers.noBody()));
    assertThat(changed.statusCode()).isEqualTo(204);
    assertThat(on.inspector.queue("mail").snapshot().paused()).isTrue();
  }

  @Test
  void takesAKeyStoreToo() throws Exception {
    Dashboard dashboard =
        on.start(builder -> builder.tls(TlsCertificate.ofKeyStore(file("EC.p12"), PASSWORD)));

    assertThat(send(trusting("EC"), HttpRequest.newBuilder(dashboard.uri())).statusCode())
        .isEqualTo(200);
    assertThatThrownBy(() -> send(trusting("RSA"), HttpRequest.newBuilder(dashboard.uri())))
        .isInstanceOf(SSLHandshakeException.class);
  }

  @Test
  void doesNotAnswerWithoutTls() throws Exception {
    Dashboard dashboard =
        on.start(builder -> builder.tls(TlsCertificate.ofKeyStore(file("EC.p12"), PASSWORD)));

    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), dashboard.uri().getPort())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .doesNotContain("200 OK")
          .doesNotContain("app-shell");
    }
  }

  @Test
  void reportsInvalidFilesWithTheReasonAndTheFix() throws Exception {
    Files.writeString(
        file("old-key.pem"),
        "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
    Files.writeString(file("empty.pem"), "nothing");

    refused(
        () -> TlsCertificate.ofPem(file("EC-cert.pem"), file("RSA-key.pem")),
        "does not match the first certificate");
    refused(() -> TlsCertificate.ofPem(file("EC-cert.pem"), file("old-key.pem")), "openssl pkcs8");
    refused(() -> TlsCertificate.ofPem(file("EC-cert.pem"), file("empty.pem")), "BEGIN PRIVATE");
    refused(() -> TlsCertificate.ofPem(file("empty.pem"), file("EC-key.pem")), "BEGIN CERTIFICATE");
    refused(() -> TlsCertificate.ofPem(file("none.pem"), file("EC-key.pem")), "cannot be read");
    refused(() -> TlsCertificate.ofKeyStore(file("EC.p12"), "wrong"), "password is wrong");
    refused(() -> TlsCertificate.ofKeyStore(file("EC-cert.pem"), PASSWORD), "not a PKCS12 store");
  }

  private static void refused(Runnable reading, String words) {
    assertThatThrownBy(reading::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words)
        .hasMessageContaining(directory.toString());
  }
}
