package io.asynq4j.dashboard;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * A salted, slow hash of a password or token: {@code pbkdf2-sha512:210000:salt:hash}. Immutable.
 */
record PasswordHash(int iterations, String salt, String hash) {

  static final int ITERATIONS = 210_000;

  private static final Pattern TEXT =
      Pattern.compile("pbkdf2-sha512:(\\d{1,8}):([A-Za-z0-9_-]{16,}):([A-Za-z0-9_-]{40,})");
  private static final int SALT_BYTES = 16;
  private static final int HASH_BITS = 256;

  static PasswordHash of(char[] secret) {
    return of(secret, ITERATIONS);
  }

  static PasswordHash of(char[] secret, int iterations) {
    byte[] salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    return new PasswordHash(iterations, encode(salt), encode(derive(secret, salt, iterations)));
  }

  static PasswordHash parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      // The message does not contain the text, which may be a password.
      throw new IllegalArgumentException(
          "invalid hash, expected pbkdf2-sha512:210000:…:…; create one with 'asynq dashboard hash'");
    }
    return new PasswordHash(Integer.parseInt(parts.group(1)), parts.group(2), parts.group(3));
  }

  boolean matches(char[] secret) {
    byte[] derived = derive(secret, Base64.getUrlDecoder().decode(salt), iterations);
    return MessageDigest.isEqual(derived, Base64.getUrlDecoder().decode(hash));
  }

  private static byte[] derive(char[] secret, byte[] salt, int iterations) {
    PBEKeySpec spec = new PBEKeySpec(secret, salt, iterations, HASH_BITS);
    try {
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512").generateSecret(spec).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no PBKDF2WithHmacSHA512", e);
    } finally {
      spec.clearPassword();
    }
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  @Override
  public String toString() {
    return "pbkdf2-sha512:" + iterations + ":" + salt + ":" + hash;
  }
}
