package io.asynq4j.internal.redis.connection;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.redis.TlsConfig;
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
import javax.net.ssl.KeyManager;
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

/** Creates TLS sockets as a {@link TlsConfig} describes them. Immutable. */
public record TlsContext(TlsConfig config) {

  public SSLSocketFactory socketFactory() {
    if (config.context().isPresent()) {
      return config.context().get().getSocketFactory();
    }
    try {
      if (config.trustStore().isEmpty()
          && config.keyStore().isEmpty()
          && config.verifyCertificate()) {
        return SSLContext.getDefault().getSocketFactory();
      }
      // Null stands for the certificates of the JVM, and for no client certificate.
      TrustManager[] trust =
          config.trustStore().isEmpty() ? null : trustManagers(config.trustStore().get());
      KeyManager[] keys = config.keyStore().isEmpty() ? null : keyManagers(config.keyStore().get());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          keys, config.verifyCertificate() ? trust : new TrustManager[] {new TrustAnyone()}, null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JVM cannot set up TLS: " + e.getMessage(), e);
    }
  }

  public SSLParameters parameters() {
    SSLParameters parameters = new SSLParameters();
    if (config.verifyHostname()) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    // The JDK checks the certificate for this name before the name of the host.
    config
        .serverName()
        .ifPresent(name -> parameters.setServerNames(List.of(new SNIHostName(name))));
    return parameters;
  }

  private TrustManager[] trustManagers(Path path) throws GeneralSecurityException {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(load("trust store", path, config.trustStorePassword()));
    // Without its password an encrypted PKCS12 store opens, but appears empty.
    require(
        Stream.of(trust.getTrustManagers()).anyMatch(TlsContext::trustsAnyone),
        "The trust store "
            + path
            + " contains no readable certificate, so no server could be trusted: "
            + (config.trustStorePassword().isEmpty() ? "give its password, or " : "")
            + "add the certificate of the certificate authority with keytool -importcert");
    return trust.getTrustManagers();
  }

  private static boolean trustsAnyone(TrustManager manager) {
    return manager instanceof X509TrustManager x509 && x509.getAcceptedIssuers().length > 0;
  }

  private KeyManager[] keyManagers(Path path) throws GeneralSecurityException {
    KeyStore store = load("key store", path, config.keyStorePassword());
    boolean hasKey = false;
    for (String alias : Collections.list(store.aliases())) {
      hasKey |= store.isKeyEntry(alias);
    }
    require(
        hasKey,
        "The key store "
            + path
            + " contains no readable private key, so there is no client certificate to present: "
            + (config.keyStorePassword().isEmpty() ? "give its password, or " : "")
            + "name the store that contains both the certificate and its key");
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, config.keyStorePassword().orElse("").toCharArray());
      return keys.getKeyManagers();
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
    require(
        Files.isRegularFile(path),
        "The " + what + " " + path + " does not exist or is not a file: correct its path");
    require(
        Files.isReadable(path),
        "The " + what + " " + path + " is not readable by this process: change its permissions");
    String type = path.toString().toLowerCase(Locale.ROOT).endsWith(".jks") ? "JKS" : "PKCS12";
    KeyStore store = KeyStore.getInstance(type);
    try (InputStream in = Files.newInputStream(path)) {
      store.load(in, password.map(String::toCharArray).orElse(null));
      return store;
    } catch (IOException | GeneralSecurityException e) {
      String advice =
          e.getCause() instanceof UnrecoverableKeyException
              ? "the password is wrong or missing"
              : "it is no " + type + " store; create one from PEM files with keytool or openssl";
      throw new IllegalArgumentException(
          "The " + what + " " + path + " cannot be opened (" + e.getMessage() + "): " + advice, e);
    }
  }

  /** Extends the class, not the interface, so that the JDK does not verify host names itself. */
  private static final class TrustAnyone extends X509ExtendedTrustManager {

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
