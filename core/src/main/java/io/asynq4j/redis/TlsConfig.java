package io.asynq4j.redis;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Encryption of connections to Redis: the certificates to trust, and the client certificate to
 * present. Starts from {@link #defaults}. Immutable and thread-safe.
 *
 * <p>A store is read as JKS if its name ends in {@code .jks}, and as PKCS12 otherwise.
 */
public final class TlsConfig {

  private static final TlsConfig DEFAULTS =
      new TlsConfig(Store.NONE, Store.NONE, Optional.empty(), true, true, Optional.empty());

  /** A file with certificates or keys, and its password. */
  private record Store(Optional<Path> path, Optional<String> password) {
    static final Store NONE = new Store(Optional.empty(), Optional.empty());

    static Store of(Path path, @Nullable String password) {
      return new Store(Optional.of(path), Optional.ofNullable(password));
    }
  }

  private final Store trust;
  private final Store key;
  private final Optional<SSLContext> context;
  private final boolean verifyHostname;
  private final boolean verifyCertificate;
  private final Optional<String> serverName;

  private TlsConfig(
      Store trust,
      Store key,
      Optional<SSLContext> context,
      boolean verifyHostname,
      boolean verifyCertificate,
      Optional<String> serverName) {
    require(
        context.isEmpty() || (trust.path().isEmpty() && key.path().isEmpty() && verifyCertificate),
        "An SSLContext decides which certificates are trusted and presented: leave out the stores and"
            + " withoutVerification()");
    this.trust = trust;
    this.key = key;
    this.context = context;
    this.verifyHostname = verifyHostname;
    this.verifyCertificate = verifyCertificate;
    this.serverName = serverName;
  }

  /** Returns settings that trust the certificates of the JVM and verify the host name. */
  public static TlsConfig defaults() {
    return DEFAULTS;
  }

  /** Returns a copy that trusts only the certificates in this store. */
  public TlsConfig withTrustStore(Path store, @Nullable String password) {
    return new TlsConfig(
        Store.of(store, password), key, context, verifyHostname, verifyCertificate, serverName);
  }

  /** Returns a copy that presents the client certificate in this store. */
  public TlsConfig withKeyStore(Path store, @Nullable String password) {
    return new TlsConfig(
        trust, Store.of(store, password), context, verifyHostname, verifyCertificate, serverName);
  }

  /**
   * Returns a copy that creates connections with this context instead of stores: for an application
   * that manages its certificates elsewhere.
   */
  public TlsConfig withContext(SSLContext newContext) {
    return new TlsConfig(
        trust, key, Optional.of(newContext), verifyHostname, verifyCertificate, serverName);
  }

  /** Returns a copy that verifies the host name in the server's certificate, or does not. */
  public TlsConfig withVerifyHostname(boolean verify) {
    require(
        !verify || verifyCertificate,
        "verifyHostname is true, but withoutVerification() accepts any certificate: leave out one");
    return new TlsConfig(trust, key, context, verify, verifyCertificate, serverName);
  }

  /**
   * Returns a copy that requests this name from the server and expects it in the certificate: for a
   * server that is reached by its address or through a tunnel.
   *
   * @throws IllegalArgumentException if this is not a host name
   */
  public TlsConfig withServerName(String name) {
    require(
        requireNonNull(name, "name").matches("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?"),
        "serverName must be the name of a host, such as redis.example.com, got " + name);
    return new TlsConfig(trust, key, context, verifyHostname, verifyCertificate, Optional.of(name));
  }

  /**
   * Returns a copy that accepts any certificate. This prevents eavesdropping only, not
   * man-in-the-middle attacks: for tests.
   */
  public TlsConfig withoutVerification() {
    return new TlsConfig(trust, key, context, false, false, serverName);
  }

  /** The certificates to trust; empty for those of the JVM. */
  public Optional<Path> trustStore() {
    return trust.path();
  }

  /** The password of the trust store. */
  public Optional<String> trustStorePassword() {
    return trust.password();
  }

  /** The client certificate and its key; empty for no client certificate. */
  public Optional<Path> keyStore() {
    return key.path();
  }

  /** The password of the key store and of the key in it. */
  public Optional<String> keyStorePassword() {
    return key.password();
  }

  /** The context that creates connections; empty for one of these stores. */
  public Optional<SSLContext> context() {
    return context;
  }

  /** Whether the server's certificate must be for the requested host. */
  public boolean verifyHostname() {
    return verifyHostname;
  }

  /** The name to request and to expect in the certificate, if it is not the name of the host. */
  public Optional<String> serverName() {
    return serverName;
  }

  /**
   * Whether the server's certificate must be trusted. If not, an attacker between client and server
   * can read everything.
   */
  public boolean verifyCertificate() {
    return verifyCertificate;
  }

  /** Returns the settings, without passwords. */
  @Override
  public String toString() {
    return "TlsConfig[trustStore="
        + trust.path().map(Path::toString).orElse("JVM default")
        + trust.password().map(p -> ", trustStorePassword=***").orElse("")
        + key.path().map(p -> ", keyStore=" + p).orElse("")
        + key.password().map(p -> ", keyStorePassword=***").orElse("")
        + (context.isPresent() ? ", context=" + context.get().getProtocol() : "")
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

  private List<Object> values() {
    return List.of(trust, key, context, verifyHostname, verifyCertificate, serverName);
  }
}
