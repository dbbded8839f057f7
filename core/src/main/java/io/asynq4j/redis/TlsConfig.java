package io.asynq4j.redis;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How connections to Redis are encrypted: whom to trust, and which certificate to show. Immutable
 * and safe for use by many threads.
 *
 * <p>A store is read as JKS when its name ends in {@code .jks}, and as PKCS12 otherwise.
 */
public final class TlsConfig {

  private static final TlsConfig DEFAULTS =
      new TlsConfig(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), true);

  private final Optional<Path> trustStore;
  private final Optional<String> trustStorePassword;
  private final Optional<Path> keyStore;
  private final Optional<String> keyStorePassword;
  private final boolean verifyHostname;
  private final Optional<String> serverName;
  private final boolean verifyCertificate;

  TlsConfig(
      Optional<Path> trustStore,
      Optional<String> trustStorePassword,
      Optional<Path> keyStore,
      Optional<String> keyStorePassword,
      boolean verifyHostname,
      Optional<String> serverName,
      boolean verifyCertificate) {
    this.trustStore = trustStore;
    this.trustStorePassword = trustStorePassword;
    this.keyStore = keyStore;
    this.keyStorePassword = keyStorePassword;
    this.verifyHostname = verifyHostname;
    this.serverName = serverName;
    this.verifyCertificate = verifyCertificate;
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

  /** The certificates to trust; empty for those that the JVM trusts. */
  public Optional<Path> trustStore() {
    return trustStore;
  }

  /** Opens the trust store. */
  public Optional<String> trustStorePassword() {
    return trustStorePassword;
  }

  /** The client certificate and its key; empty for none of its own. */
  public Optional<Path> keyStore() {
    return keyStore;
  }

  /** Opens the key store and the key in it. */
  public Optional<String> keyStorePassword() {
    return keyStorePassword;
  }

  /** Whether the server's certificate must be for the host that was asked for. */
  public boolean verifyHostname() {
    return verifyHostname;
  }

  /** The name to ask for, and to find in the certificate, where it is not that of the host. */
  public Optional<String> serverName() {
    return serverName;
  }

  /**
   * Whether the certificate must come from somebody who is trusted; without, whoever stands between
   * can read everything.
   */
  public boolean verifyCertificate() {
    return verifyCertificate;
  }

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

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TlsConfig that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        trustStore,
        trustStorePassword,
        keyStore,
        keyStorePassword,
        verifyHostname,
        serverName,
        verifyCertificate);
  }
}
