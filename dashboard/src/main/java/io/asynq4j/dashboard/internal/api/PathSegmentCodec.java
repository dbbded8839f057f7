package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.internal.problem.Problems;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * Encodes names in paths. Queue names and task IDs can contain any characters, including slashes
 * and dots, which servers and proxies split or reject even if they are encoded. Such names are
 * written as {@code ~} and base64url.
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
   * @param segment path segment, decoded by the server
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
          "A path segment that starts with ~ must continue with UTF-8 text in base64url.");
    }
  }
}
