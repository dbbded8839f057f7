package io.asynq4j.dashboard.api;

import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * How names stand in paths. Queues and ids may hold anything, also slashes and dots, which servers
 * and proxies take apart or refuse even when they are encoded: such names are written as {@code ~}
 * and base64url.
 */
public final class PathSegmentCodec {

  private static final Pattern UNSAFE =
      Pattern.compile(".*[/\\\\%;\\p{Cntrl}].*|\\.+|~.*|batch|", Pattern.DOTALL);

  private PathSegmentCodec() {}

  public static String encode(String name) {
    if (UNSAFE.matcher(name).matches()) {
      return "~"
          + Base64.getUrlEncoder()
              .withoutPadding()
              .encodeToString(name.getBytes(StandardCharsets.UTF_8));
    }
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Returns the name in a path.
   *
   * @param segment of a path that the server has decoded
   */
  public static String decode(String segment) {
    if (!segment.startsWith("~")) {
      return segment;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Base64.getUrlDecoder().decode(segment.substring(1))))
          .toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      throw Problems.badRequest(
          "A part of a path that begins with ~ must go on with base64url of UTF-8 text.");
    }
  }
}
