package io.asynq4j.service.config;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A certificate and its key as most tools write them, for the JDK, which wants a key store. */
public final class PemFiles {

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  private static final List<String> ALGORITHMS = List.of("EC", "RSA", "Ed25519");

  private PemFiles() {}

  /**
   * A key store in memory with an empty password. Throws {@code IllegalArgumentException} when the
   * files are not what they should be; the message says nothing of the key.
   */
  public static KeyStore read(Path certificate, Path key) {
    try {
      Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(certificate)))
              .toArray(Certificate[]::new);
      if (chain.length == 0) {
        throw new IllegalArgumentException(certificate + " has no certificate in it");
      }
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("service", key(key), new char[0], chain);
      return store;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "%s and %s are no certificate and key: %s".formatted(certificate, key, e.getMessage()),
          e);
    }
  }

  private static PrivateKey key(Path file) throws IOException {
    Matcher pem = KEY.matcher(Files.readString(file, StandardCharsets.US_ASCII));
    if (!pem.find()) {
      throw new IllegalArgumentException(
          "%s has no unencrypted key in PKCS#8; 'openssl pkcs8 -topk8 -nocrypt' makes one of others"
              .formatted(file));
    }
    byte[] encoded = Base64.getMimeDecoder().decode(pem.group(1));
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      } catch (GeneralSecurityException e) {
        // Perhaps of another kind.
      }
    }
    throw new IllegalArgumentException("%s has a key of none of %s".formatted(file, ALGORITHMS));
  }
}
