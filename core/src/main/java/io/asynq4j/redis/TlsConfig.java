package io.asynq4j.redis;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * How connections to Redis are encrypted: whom to trust, and which certificate to show. Immutable
 * and safe for use by many threads.
 *
 * <p>A store is read as JKS when its name ends in {@code .jks}, and as PKCS12 otherwise.
 *
 * @param trustStore the certificates to trust; empty for those that the JVM trusts
 * @param trustStorePassword opens the trust store
 * @param keyStore the client certificate and its key; empty for none of its own
 * @param keyStorePassword opens the key store and the key in it
 * @param verifyHostname whether the server's certificate must be for the host that was asked for
 * @param serverName the name to ask for, and to find in the certificate, where it is not that of
 *     the host
 * @param verifyCertificate whether the certificate must come from somebody who is trusted; without,
 *     whoever stands between can read everything
 */
public record TlsConfig(
    Optional<Path> trustStore,
    Optional<String> trustStorePassword,
    Optional<Path> keyStore,
    Optional<String> keyStorePassword,
    boolean verifyHostname,
    Optional<String> serverName,
    boolean verifyCertificate) {

  private static final TlsConfig DEFAULTS =
      new TlsConfig(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), true);

  /** With the name of the host, and only for who is trusted. */
  public TlsConfig(
      Optional<Path> trustStore,
      Optional<String> trustStorePassword,
      Optional<Path> keyStore,
      Optional<String> keyStorePassword,
      boolean verifyHostname) {
    this(
        trustStore,
        trustStorePassword,
        keyStore,
        keyStorePassword,
        verifyHostname,
        Optional.empty(),
        true);
  }

  public TlsConfig {
    serverName.ifPresent(
        name -> {
          if (!name.matches("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")) {
            throw new IllegalArgumentException(
                "serverName must be the name of a host, such as redis.example.com: " + name);
          }
        });
    requireStoreFor("trustStorePassword", trustStorePassword, "trustStore", trustStore);
    requireStoreFor("keyStorePassword", keyStorePassword, "keyStore", keyStore);
  }

  /** Trusts what the JVM trusts and verifies the host name. */
  public static TlsConfig defaults() {
    return DEFAULTS;
  }

  /** The same, but trusting the certificates in this store only. */
  public TlsConfig withTrustStore(Path store, @Nullable String password) {
    return new TlsConfig(
        Optional.of(store),
        Optional.ofNullable(password),
        keyStore,
        keyStorePassword,
        verifyHostname,
        serverName,
        verifyCertificate);
  }

  /** The same, but showing the client certificate in this store. */
  public TlsConfig withKeyStore(Path store, @Nullable String password) {
    return new TlsConfig(
        trustStore,
        trustStorePassword,
        Optional.of(store),
        Optional.ofNullable(password),
        verifyHostname,
        serverName,
        verifyCertificate);
  }

  /** The same, but with or without a look at the host name in the server's certificate. */
  public TlsConfig withVerifyHostname(boolean verify) {
    return new TlsConfig(
        trustStore,
        trustStorePassword,
        keyStore,
        keyStorePassword,
        verify,
        serverName,
        verifyCertificate);
  }

  /**
   * The same, but asking for this name and looking for it in the certificate: for a server that is
   * reached by an address or through a tunnel.
   */
  public TlsConfig withServerName(String name) {
    return new TlsConfig(
        trustStore,
        trustStorePassword,
        keyStore,
        keyStorePassword,
        verifyHostname,
        Optional.of(name),
        verifyCertificate);
  }

  /**
   * The same, but any certificate will do. It keeps out who only listens, not who stands between:
   * for tests.
   */
  public TlsConfig withoutVerification() {
    return new TlsConfig(
        trustStore, trustStorePassword, keyStore, keyStorePassword, false, serverName, false);
  }

  SSLSocketFactory socketFactory() {
    try {
      if (trustStore.isEmpty() && keyStore.isEmpty() && verifyCertificate) {
        return SSLContext.getDefault().getSocketFactory();
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      if (trustStore.isEmpty()) {
        trust.init((KeyStore) null);
      } else {
        initTrust(trust, trustStore.get());
      }
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      if (keyStore.isEmpty()) {
        keys.init(null, null);
      } else {
        initKeys(keys, keyStore.get());
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          keys.getKeyManagers(),
          verifyCertificate ? trust.getTrustManagers() : new TrustManager[] {new TrustAnybody()},
          null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JVM cannot set up TLS: " + e.getMessage(), e);
    }
  }

  SSLParameters parameters() {
    SSLParameters parameters = new SSLParameters();
    if (verifyHostname) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    // The JDK looks for this name in the certificate before that of the host.
    serverName.ifPresent(name -> parameters.setServerNames(List.of(new SNIHostName(name))));
    return parameters;
  }

  private void initTrust(TrustManagerFactory trust, Path path) throws GeneralSecurityException {
    trust.init(load("trust store", path, trustStorePassword));
    // Without its password an encrypted PKCS12 store opens, and looks empty.
    if (Stream.of(trust.getTrustManagers()).noneMatch(TlsConfig::trustsAnybody)) {
      throw new IllegalArgumentException(
          "The trust store "
              + path
              + " shows no certificate, so no server could be trusted: "
              + (trustStorePassword.isEmpty() ? "give its password, or " : "")
              + "add the certificate of the authority with keytool -importcert");
    }
  }

  private static boolean trustsAnybody(TrustManager manager) {
    return manager instanceof X509TrustManager x509 && x509.getAcceptedIssuers().length > 0;
  }

  private void initKeys(KeyManagerFactory keys, Path path) throws GeneralSecurityException {
    KeyStore store = load("key store", path, keyStorePassword);
    boolean hasKey = false;
    for (String alias : Collections.list(store.aliases())) {
      hasKey |= store.isKeyEntry(alias);
    }
    if (!hasKey) {
      throw new IllegalArgumentException(
          "The key store "
              + path
              + " shows no private key, so there is no client certificate to present: "
              + (keyStorePassword.isEmpty() ? "give its password, or " : "")
              + "name the store that holds both the certificate and its key");
    }
    try {
      keys.init(store, keyStorePassword.orElse("").toCharArray());
    } catch (UnrecoverableKeyException e) {
      throw new IllegalArgumentException(
          "The key in the key store "
              + path
              + " cannot be opened with the store's password: give both the same password",
          e);
    }
  }

  private static KeyStore load(String what, Path path, Optional<String> password)
      throws GeneralSecurityException {
    if (!Files.isRegularFile(path)) {
      throw new IllegalArgumentException(
          "The " + what + " " + path + " does not exist or is no file: correct its path");
    }
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException(
          "The " + what + " " + path + " may not be read by this process: change its permissions");
    }
    String type = storeType(path);
    KeyStore store = KeyStore.getInstance(type);
    try (InputStream in = Files.newInputStream(path)) {
      store.load(in, password.map(String::toCharArray).orElse(null));
      return store;
    } catch (IOException | GeneralSecurityException e) {
      String advice =
          e.getCause() instanceof UnrecoverableKeyException
              ? "the password is wrong or missing"
              : "it is no " + type + " store; make one from PEM files with keytool or openssl";
      throw new IllegalArgumentException(
          "The " + what + " " + path + " cannot be opened (" + e.getMessage() + "): " + advice, e);
    }
  }

  private static String storeType(Path path) {
    return path.toString().toLowerCase(Locale.ROOT).endsWith(".jks") ? "JKS" : "PKCS12";
  }

  private static void requireStoreFor(
      String passwordName, Optional<String> password, String storeName, Optional<Path> store) {
    requireNonNull(store, storeName);
    if (requireNonNull(password, passwordName).isPresent() && store.isEmpty()) {
      throw new IllegalArgumentException(
          passwordName + " is given without " + storeName + ": name the store that it opens");
    }
  }

  @Override
  public String toString() {
    return "TlsConfig[trustStore="
        + trustStore.map(Path::toString).orElse("JVM default")
        + trustStorePassword.map(p -> ", trustStorePassword=***").orElse("")
        + keyStore.map(p -> ", keyStore=" + p).orElse("")
        + keyStorePassword.map(p -> ", keyStorePassword=***").orElse("")
        + ", verifyHostname="
        + verifyHostname
        + serverName.map(name -> ", serverName=" + name).orElse("")
        + (verifyCertificate ? "" : ", verifyCertificate=false")
        + "]";
  }

  /** Extends, so that the JDK does not check names on its own. */
  private static final class TrustAnybody extends X509ExtendedTrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
