package io.asynq4j.internal.text;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Any text in characters that are safe in URLs, file names and colon-separated messages. */
public final class UrlSafeText {

  private UrlSafeText() {}

  public static String encode(String plain) {
    byte[] bytes = plain.getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Throws an {@code IllegalArgumentException} if the text has other characters. */
  public static String decode(String encoded) {
    return new String(Base64.getUrlDecoder().decode(encoded), StandardCharsets.UTF_8);
  }
}
