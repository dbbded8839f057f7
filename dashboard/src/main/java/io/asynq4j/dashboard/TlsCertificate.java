package io.asynq4j.dashboard;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The certificate with which a standalone dashboard shows who it is, and its key, for HTTPS. Read
 * once; a renewed one needs a restart. Immutable.
 */
public final class TlsCertificate {

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
  private static final List<String> KINDS_OF_KEYS = List.of("RSA", "EC", "Ed25519", "RSASSA-PSS");

  private final SSLContext context;

  private TlsCertificate(SSLContext context) {
    this.context = context;
  }

  /**
   * From PEM files, as certificate authorities give them out.
   *
   * @param chain the certificate, and behind it those that vouch for it
   * @param key its private key, not encrypted: a block {@code BEGIN PRIVATE KEY}
   */
  public static TlsCertificate ofPem(Path chain, Path key) {
    PrivateKey secret = key(key);
    Certificate[] certificates = certificates(chain);
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      // It never leaves this process, so its password protects nothing.
      char[] password = new char[0];
      store.setKeyEntry("dashboard", secret, password, certificates);
      requirePair(certificates[0], secret, chain, key);
      return of(store, password);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "the certificate %s does not go with the key %s: %s"
              .formatted(chain, key, e.getMessage()),
          e);
    }
  }

  /**
   * From a store that {@code keytool} makes; JKS when its name ends in {@code .jks}, PKCS12
   * otherwise.
   */
  public static TlsCertificate ofKeyStore(Path file, String password) {
    String type = file.toString().toLowerCase(Locale.ROOT).endsWith(".jks") ? "JKS" : "PKCS12";
    try (InputStream in = new ByteArrayInputStream(read(file))) {
      KeyStore store = KeyStore.getInstance(type);
      store.load(in, password.toCharArray());
      boolean hasKey = false;
      for (String alias : Collections.list(store.aliases())) {
        hasKey |= store.isKeyEntry(alias);
      }
      if (!hasKey) {
        throw new IllegalArgumentException(
            "the key store %s holds no private key; give the one that has both the certificate and its key"
                .formatted(file));
      }
      return of(store, password.toCharArray());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "the key store %s cannot be opened: the password is wrong, or it is no %s store (%s)"
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

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "the file %s cannot be read; check its path and who may read it".formatted(file), e);
    }
  }

  private static Certificate[] certificates(Path file) {
    try {
      Certificate[] all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(read(file)))
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
        "the file %s holds no certificate; it must have a block BEGIN CERTIFICATE".formatted(file),
        cause);
  }

  private static PrivateKey key(Path file) {
    Matcher block = BLOCK.matcher(new String(read(file), StandardCharsets.ISO_8859_1));
    while (block.find()) {
      String what = block.group(1);
      if (what.equals("PRIVATE KEY")) {
        return decode(file, Objects.requireNonNull(block.group(2)));
      }
      if (what.endsWith("PRIVATE KEY")) {
        throw new IllegalArgumentException(
            "the key %s is of the form \"%s\"; turn it into PKCS8 with: openssl pkcs8 -topk8 -nocrypt -in %s -out key.pem"
                .formatted(file, what, file));
      }
    }
    throw new IllegalArgumentException(
        "the file %s holds no key; it must have a block BEGIN PRIVATE KEY".formatted(file));
  }

  private static PrivateKey decode(Path file, String base64) {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64));
    for (String kind : KINDS_OF_KEYS) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        // It may be of another kind.
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this JVM knows no " + kind + " keys", e);
      }
    }
    throw new IllegalArgumentException(
        "the key %s cannot be read; it must be one of RSA, EC or Ed25519".formatted(file));
  }

  /** Else every connection would fail, with words that nobody understands. */
  private static void requirePair(Certificate certificate, PrivateKey key, Path chain, Path file)
      throws GeneralSecurityException {
    String kind = key.getAlgorithm();
    String algorithm =
        switch (kind) {
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
      java.security.Signature signer = java.security.Signature.getInstance(algorithm);
      signer.initSign(key);
      signer.update(text);
      byte[] signature = signer.sign();
      signer.initVerify(certificate.getPublicKey());
      signer.update(text);
      isPair = signer.verify(signature);
    } catch (java.security.InvalidKeyException | java.security.SignatureException e) {
      // Of another kind, so no pair.
    }
    if (!isPair) {
      throw new IllegalArgumentException(
          "the key %s is not the one of the first certificate in %s; the file must begin with the"
                  .formatted(file, chain)
              + " dashboard's own, and those that vouch for it follow");
    }
  }

  /** Nothing of the key. */
  @Override
  public String toString() {
    return "TlsCertificate";
  }
}
