package io.asynq4j.dashboard;

import io.asynq4j.http.PemKeyStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Collections;
import java.util.Locale;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The certificate and private key of a standalone dashboard, for HTTPS. They are read once; a
 * renewed certificate needs a restart. Immutable.
 */
public final class TlsCertificate {

  private final SSLContext context;

  private TlsCertificate(SSLContext context) {
    this.context = context;
  }

  /**
   * Reads PEM files.
   *
   * @param chain file with the certificate, followed by its issuers
   * @param key file with the unencrypted private key, a {@code BEGIN PRIVATE KEY} block
   */
  public static TlsCertificate ofPem(Path chain, Path key) {
    try {
      return of(PemKeyStore.read(chain, key), PemKeyStore.PASSWORD.toCharArray());
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "the certificate %s cannot be used: %s".formatted(chain, e.getMessage()), e);
    }
  }

  /** Reads a key store: JKS if the file name ends in {@code .jks}, otherwise PKCS12. */
  public static TlsCertificate ofKeyStore(Path file, String password) {
    String type = file.toString().toLowerCase(Locale.ROOT).endsWith(".jks") ? "JKS" : "PKCS12";
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException(
          "the file %s cannot be read; check its path and permissions".formatted(file));
    }
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(type);
      store.load(in, password.toCharArray());
      boolean hasKey = false;
      for (String alias : Collections.list(store.aliases())) {
        hasKey |= store.isKeyEntry(alias);
      }
      if (!hasKey) {
        throw new IllegalArgumentException(
            "the key store %s contains no private key; use one that contains the certificate and its key"
                .formatted(file));
      }
      return of(store, password.toCharArray());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "cannot open the key store %s: the password is wrong, or it is not a %s store (%s)"
              .formatted(file, type, e.getMessage()),
          e);
    }
  }

  private static TlsCertificate of(KeyStore store, char[] password)
      throws GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    KeyManager[] managers = keys.getKeyManagers();
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers, null, null);
    return new TlsCertificate(context);
  }

  SSLContext context() {
    return context;
  }

  /** Does not contain the key. */
  @Override
  public String toString() {
    return "TlsCertificate";
  }
}
