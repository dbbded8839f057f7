package io.asynq4j.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a certificate and its key from PEM files into a key store for the JDK. */
public final class PemKeyStore {

  /**
   * Password of the key store. The key store never leaves this process, so the password protects
   * nothing.
   */
  public static final String PASSWORD = "";

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
  private static final List<String> KINDS_OF_KEYS = List.of("RSA", "EC", "Ed25519", "RSASSA-PSS");

  private PemKeyStore() {}

  /**
   * Returns a key store in memory with the password {@link #PASSWORD}. Throws {@code
   * IllegalArgumentException} if the files are invalid, with a message that does not contain the
   * key.
   *
   * @param chain the certificate, followed by its issuers
   * @param key its unencrypted private key: a block {@code BEGIN PRIVATE KEY}
   */
  public static KeyStore read(Path chain, Path key) {
    PrivateKey secret = key(key);
    Certificate[] certificates = certificates(chain);
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("server", secret, PASSWORD.toCharArray(), certificates);
      requirePair(certificates[0], secret, chain, key);
      return store;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "the certificate %s and the key %s do not match: %s"
              .formatted(chain, key, e.getMessage()),
          e);
    }
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "the file %s cannot be read; check its path and permissions".formatted(file), e);
    }
  }

  private static Certificate[] certificates(Path file) {
    try {
      Certificate[] all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes(file)))
              .toArray(Certificate[]::new);
      if (all.length > 0) {
        return all;
      }
    } catch (GeneralSecurityException e) {
      throw notACertificate(file, e);
    }
    throw notACertificate(file, null);
  }

  private static IllegalArgumentException notACertificate(Path file, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "the file %s contains no certificate; it must have a block BEGIN CERTIFICATE"
            .formatted(file),
        cause);
  }

  private static PrivateKey key(Path file) {
    Matcher block = BLOCK.matcher(new String(bytes(file), StandardCharsets.ISO_8859_1));
    while (block.find()) {
      String what = block.group(1);
      if (what.equals("PRIVATE KEY")) {
        return decode(file, Objects.requireNonNull(block.group(2)));
      }
      if (what.endsWith("PRIVATE KEY")) {
        throw new IllegalArgumentException(
            "the key %s has the format \"%s\"; convert it to PKCS8 with: openssl pkcs8 -topk8 -nocrypt -in %s -out key.pem"
                .formatted(file, what, file));
      }
    }
    throw new IllegalArgumentException(
        "the file %s contains no key; it must have a block BEGIN PRIVATE KEY".formatted(file));
  }

  private static PrivateKey decode(Path file, String base64) {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64));
    for (String kind : KINDS_OF_KEYS) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        // It may have another algorithm.
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this JVM does not support " + kind + " keys", e);
      }
    }
    throw new IllegalArgumentException(
        "the key %s cannot be read; it must be an RSA, EC or Ed25519 key".formatted(file));
  }

  /**
   * Checks that key and certificate match. Otherwise each connection would fail with an unclear
   * error.
   */
  private static void requirePair(Certificate certificate, PrivateKey key, Path chain, Path file)
      throws GeneralSecurityException {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          case "EdDSA", "Ed25519" -> "Ed25519";
          default -> null;
        };
    if (algorithm == null) {
      return;
    }
    boolean isPair = false;
    try {
      byte[] text = {1, 2, 3};
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(key);
      signer.update(text);
      byte[] signature = signer.sign();
      signer.initVerify(certificate.getPublicKey());
      signer.update(text);
      isPair = signer.verify(signature);
    } catch (InvalidKeyException | SignatureException e) {
      // Another algorithm, so not a pair.
    }
    if (!isPair) {
      throw new IllegalArgumentException(
          "the key %s does not match the first certificate in %s; the file must start with the"
                  .formatted(file, chain)
              + " server's own certificate, followed by its issuers");
    }
  }
}
