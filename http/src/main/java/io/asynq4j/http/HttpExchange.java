package io.asynq4j.http;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request to a known route, and its parameters. Used by one thread at a time. */
public abstract class HttpExchange {

  private final HttpServletRequest request;
  private final Map<String, String> variables;
  private final ProblemFactory problems;

  /**
   * @param variables of the path
   */
  protected HttpExchange(
      HttpServletRequest request, Map<String, String> variables, ProblemFactory problems) {
    this.request = request;
    this.variables = Map.copyOf(variables);
    this.problems = problems;
  }

  public final HttpServletRequest request() {
    return request;
  }

  /** A variable of the path. */
  public final String path(String name) {
    return Objects.requireNonNull(variables.get(name), name);
  }

  /** A variable that not all paths have. */
  protected final Optional<String> optionalPath(String name) {
    return Optional.ofNullable(variables.get(name));
  }

  public final Optional<String> header(String name) {
    return Optional.ofNullable(request.getHeader(name));
  }

  /** A parameter of the URL only: a container would search the body too. */
  public final Optional<String> query(String name) {
    String query = request.getQueryString();
    if (query == null) {
      return Optional.empty();
    }
    for (String pair : query.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      if (decoded(parts[0], problems).equals(name)) {
        return Optional.of(parts.length == 1 ? "" : decoded(parts[1], problems));
      }
    }
    return Optional.empty();
  }

  /** A parameter of the URL; null if it is missing or empty. */
  public final @Nullable String param(String name) {
    return query(name).filter(value -> !value.isEmpty()).orElse(null);
  }

  public final String param(String name, String otherwise) {
    return Objects.requireNonNullElse(param(name), otherwise);
  }

  public final int integer(String name, int otherwise, int min, int max) {
    String value = param(name);
    if (value == null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(value);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below, like a number out of range.
    }
    throw problems.malformed(
        name,
        "\"%s\" must be a whole number from %d to %d, got \"%s\"".formatted(name, min, max, value));
  }

  public final boolean flag(String name) {
    String value = param(name, "false");
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default ->
          throw problems.malformed(
              name, "\"%s\" must be true or false, got \"%s\"".formatted(name, value));
    };
  }

  /** Decodes a part of a URL, where a plus is a space. */
  public static String decoded(String text, ProblemFactory problems) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw problems.malformedUrl("the URL has a % without two hexadecimal digits after it");
    }
  }

  /** The type of the body without its parameters, in lower case; empty if there is none. */
  protected final String contentType() {
    String type = request.getContentType();
    return type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the body. Throws {@link Problem} if it is larger than allowed, without reading the
   * rest.
   */
  public final byte[] body(int maxBytes) throws IOException {
    if (request.getContentLengthLong() > maxBytes) {
      throw problems.tooLarge(maxBytes);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    InputStream input = request.getInputStream();
    byte[] buffer = new byte[8192];
    int read;
    while ((read = input.read(buffer)) >= 0) {
      if (body.size() + read > maxBytes) {
        throw problems.tooLarge(maxBytes);
      }
      body.write(buffer, 0, read);
    }
    return body.toByteArray();
  }
}
