package io.asynq4j.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.internal.redis.connection.TlsContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsConfigTest {

  private static final String PASSWORD = "s3cret-store";

  @TempDir static Path directory;

  private static Path keys;
  private static Path trusted;
  private static Path trustedP12;

  @BeforeAll
  static void makeStores() throws Exception {
    keys = directory.resolve("keys.p12");
    trusted = directory.resolve("trusted.jks");
    trustedP12 = directory.resolve("trusted.p12");
    Path certificate = directory.resolve("certificate.pem");
    keytool(
        "-genkeypair -keyalg EC -alias redis -dname CN=redis -ext san=dns:redis.test -storetype"
            + " PKCS12",
        "-keystore",
        keys.toString());
    keytool(
        "-exportcert -rfc -alias redis",
        "-keystore",
        keys.toString(),
        "-file",
        certificate.toString());
    keytool(
        "-importcert -noprompt -alias redis -storetype JKS",
        "-keystore",
        trusted.toString(),
        "-file",
        certificate.toString());
    keytool(
        "-importcert -noprompt -alias redis -storetype PKCS12",
        "-keystore",
        trustedP12.toString(),
        "-file",
        certificate.toString());
  }

  private static void keytool(String options, String... more) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(options.split(" ")));
    command.addAll(List.of(more));
    command.addAll(List.of("-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  @Test
  void usesTheJvmsSettingsByDefault() throws Exception {
    TlsConfig defaults = TlsConfig.defaults();

    assertThat(new TlsContext(defaults).socketFactory())
        .hasSameClassAs(SSLContext.getDefault().getSocketFactory());
    assertThat(defaults.verifyHostname()).isTrue();
    assertThat(new TlsContext(defaults).parameters().getEndpointIdentificationAlgorithm())
        .isEqualTo("HTTPS");
    assertThat(
            new TlsContext(defaults.withVerifyHostname(false))
                .parameters()
                .getEndpointIdentificationAlgorithm())
        .isNull();
  }

  @Test
  void trustsTheStoreAndShowsTheClientCertificate() throws Exception {
    TlsConfig both =
        TlsConfig.defaults().withTrustStore(trustedP12, PASSWORD).withKeyStore(keys, PASSWORD);

    assertThat(handshake(both, "redis.test")).isEqualTo("CN=redis");
  }

  @Test
  void readsAJksTrustStoreWithoutItsPassword() throws Exception {
    TlsConfig tls = TlsConfig.defaults().withTrustStore(trusted, null).withKeyStore(keys, PASSWORD);

    assertThat(handshake(tls, "redis.test")).isEqualTo("CN=redis");
  }

  @Test
  void rejectsAServerOfAnotherHostByDefault() throws Exception {
    TlsConfig tls =
        TlsConfig.defaults().withTrustStore(trusted, PASSWORD).withKeyStore(keys, PASSWORD);

    assertThatExceptionOfType(SSLException.class)
        .isThrownBy(() -> handshake(tls, "other.test"))
        .withMessageContaining("other.test");
    assertThat(handshake(tls.withVerifyHostname(false), "other.test")).isEqualTo("CN=redis");
  }

  @Test
  void refusesAServerThatIsNotInTheTrustStore() {
    TlsConfig tls = TlsConfig.defaults().withKeyStore(keys, PASSWORD);

    assertThatExceptionOfType(SSLException.class)
        .isThrownBy(() -> handshake(tls.withVerifyHostname(false), "redis.test"))
        .withMessageContaining("PKIX");
  }

  @Test
  void checksForAnotherNameInTheCertificateIfConfigured() throws Exception {
    TlsConfig tls =
        TlsConfig.defaults().withTrustStore(trusted, PASSWORD).withKeyStore(keys, PASSWORD);

    assertThat(handshake(tls.withServerName("redis.test"), "other.test")).isEqualTo("CN=redis");
    assertThatExceptionOfType(SSLException.class)
        .isThrownBy(() -> handshake(tls.withServerName("third.test"), "other.test"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TlsConfig.defaults().withServerName("redis.test:6379"))
        .withMessageContaining("redis.example.com");
  }

  @Test
  void acceptsAnyCertificateIfConfigured() throws Exception {
    TlsConfig tls = TlsConfig.defaults().withKeyStore(keys, PASSWORD).withoutVerification();

    assertThat(handshake(tls, "other.test")).isEqualTo("CN=redis");
    assertThat(tls.toString()).contains("verifyCertificate=false");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tls.withVerifyHostname(true))
        .withMessage(
            "verifyHostname is true, but withoutVerification() accepts any certificate: leave out one");
  }

  /** Returns the client that the server has seen. */
  private static String handshake(TlsConfig client, String host) throws Exception {
    TlsConfig server =
        TlsConfig.defaults().withTrustStore(trusted, PASSWORD).withKeyStore(keys, PASSWORD);
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket listener = new ServerSocket(0, 1, loopback)) {
      CompletableFuture<String> seen =
          CompletableFuture.supplyAsync(
              () -> acceptOne(listener, new TlsContext(server).socketFactory()));
      try (Socket plain = new Socket(loopback, listener.getLocalPort());
          SSLSocket socket =
              (SSLSocket)
                  new TlsContext(client)
                      .socketFactory()
                      .createSocket(plain, host, listener.getLocalPort(), true)) {
        socket.setSSLParameters(new TlsContext(client).parameters());
        socket.startHandshake();
        assertThat(socket.getInputStream().read()).isEqualTo(1);
      }
      return seen.get();
    }
  }

  private static String acceptOne(ServerSocket listener, SSLSocketFactory factory) {
    try (Socket plain = listener.accept();
        SSLSocket socket = (SSLSocket) factory.createSocket(plain, null, true)) {
      socket.setNeedClientAuth(true);
      socket.startHandshake();
      socket.getOutputStream().write(1);
      return socket.getSession().getPeerPrincipal().getName();
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void reportsThatAStoreIsMissing() {
    assertRefused(
        TlsConfig.defaults().withTrustStore(directory.resolve("none.p12"), PASSWORD),
        "trust store",
        "none.p12",
        "does not exist");
    assertRefused(
        TlsConfig.defaults().withKeyStore(directory, PASSWORD),
        "key store",
        directory.toString(),
        "is not a file");
  }

  @Test
  void reportsThatAFileIsNoStore() throws IOException {
    Path text = Files.writeString(directory.resolve("text.p12"), "no store at all");
    assertRefused(
        TlsConfig.defaults().withTrustStore(text, PASSWORD), "text.p12", "it is no PKCS12 store");
    Path jks = Files.writeString(directory.resolve("text.JKS"), "no store at all");
    assertRefused(
        TlsConfig.defaults().withTrustStore(jks, PASSWORD), "text.JKS", "it is no JKS store");
  }

  @Test
  void reportsThatThePasswordIsWrongOrMissing() {
    assertRefused(
        TlsConfig.defaults().withTrustStore(trusted, "s3cret-wrong"), "password is wrong");
    assertRefused(TlsConfig.defaults().withKeyStore(keys, "s3cret-wrong"), "password is wrong");
    assertRefused(
        TlsConfig.defaults().withTrustStore(keys, null),
        "no readable certificate",
        "give its password");
    assertRefused(
        TlsConfig.defaults().withTrustStore(trustedP12, null),
        "no readable certificate",
        "give its password");
  }

  @Test
  void reportsThatAKeyStoreHasNoKey() {
    assertRefused(TlsConfig.defaults().withKeyStore(trusted, PASSWORD), "no readable private key");
  }

  private static void assertRefused(TlsConfig tls, String... parts) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TlsContext(tls).socketFactory())
        .satisfies(e -> assertThat(e.getMessage()).contains(parts))
        .withMessageNotContaining("s3cret");
  }

  @Test
  void refusesAPasswordWithoutAStore() {
    for (String store : List.of("trustStore", "keyStore")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RedisConfig.parse("rediss://localhost?" + store + "Password=x"))
          .withMessageContaining(store + "Password is set without " + store);
    }
  }

  @Test
  void aContextOfTheApplicationReplacesTheStores() throws Exception {
    KeyStore trust = KeyStore.getInstance(trustedP12.toFile(), PASSWORD.toCharArray());
    KeyStore key = KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray());
    TrustManagerFactory trusts =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusts.init(trust);
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(key, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), trusts.getTrustManagers(), null);
    TlsConfig tls = TlsConfig.defaults().withContext(context);

    assertThat(handshake(tls, "redis.test")).isEqualTo("CN=redis");
    assertThatExceptionOfType(SSLException.class).isThrownBy(() -> handshake(tls, "other.test"));
    assertThat(tls)
        .hasToString("TlsConfig[trustStore=JVM default, context=TLS, verifyHostname=true]");
  }

  @Test
  void refusesAContextBesideStores() throws Exception {
    SSLContext context = SSLContext.getDefault();

    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> TlsConfig.defaults().withTrustStore(trusted, PASSWORD).withContext(context))
        .withMessageContaining("leave out the stores");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TlsConfig.defaults().withContext(context).withoutVerification())
        .withMessageContaining("withoutVerification()");
  }

  @Test
  void neverShowsAPasswordInItsText() {
    TlsConfig tls =
        TlsConfig.defaults().withTrustStore(trusted, PASSWORD).withKeyStore(keys, PASSWORD);

    assertThat(tls.toString())
        .contains("trusted.jks, trustStorePassword=***", "keys.p12, keyStorePassword=***")
        .doesNotContain(PASSWORD);
    assertThat(TlsConfig.defaults())
        .hasToString("TlsConfig[trustStore=JVM default, verifyHostname=true]");
  }
}
