package io.asynq4j.service.api;

import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.config.Units;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A request whose sender is known. Used by one thread at a time. */
public final class Exchange {

  private final HttpServletRequest request;
  private final ApiKey caller;
  private final List<String> variables;

  Exchange(HttpServletRequest request, ApiKey caller, List<String> variables) {
    this.request = request;
    this.caller = caller;
    this.variables = List.copyOf(variables);
  }

  public ApiKey caller() {
    return caller;
  }

  /** What stands in the path where the route has a star. */
  public String variable(int index) {
    return variables.get(index);
  }

  public Optional<String> header(String name) {
    return Optional.ofNullable(request.getHeader(name));
  }

  /** Of the URL alone: a container would look into the body too. */
  Optional<String> query(String name) {
    String query = request.getQueryString();
    if (query == null) {
      return Optional.empty();
    }
    for (String pair : query.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      if (decoded(parts[0]).equals(name)) {
        return Optional.of(parts.length == 1 ? "" : decoded(parts[1]));
      }
    }
    return Optional.empty();
  }

  /** A plus is a space here; who means a plus encodes it. */
  static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new Problem(400, "bad-path", "the path is not encoded as a URL must be");
    }
  }

  Duration waitTime(Duration longest) {
    return query("wait").map(text -> waitTime(text, longest)).orElse(Duration.ZERO);
  }

  public static Duration waitTime(String text, Duration longest) {
    return Units.duration(text)
        .filter(wait -> wait.compareTo(longest) <= 0)
        .orElseThrow(
            () ->
                Problem.invalid(
                    "wait",
                    "wait must be a duration of %d s or less, such as 30s"
                        .formatted(longest.toSeconds())));
  }

  /** Whether it holds many tasks, one in each line. Other types than JSON are refused. */
  public boolean isLines() {
    String type = contentType(request);
    if (type.equals(ApiResponse.JSON_LINES) || type.equals("application/jsonl")) {
      return true;
    }
    if (type.equals(ApiResponse.JSON)) {
      return false;
    }
    throw new Problem(
        415,
        "unsupported-type",
        "the Content-Type must be application/json, or application/x-ndjson for many tasks");
  }

  private static String contentType(HttpServletRequest request) {
    String type = request.getContentType();
    return type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  public RequestFields fields(int limit) throws IOException {
    return new RequestFields(json(limit), "the body");
  }

  /** The body, where many tasks are no lines but a list in it. */
  public JsonNode json(int limit) throws IOException {
    if (isLines()) {
      throw new Problem(415, "unsupported-type", "one JSON object is expected here");
    }
    return Json.parse(body(limit), "the body");
  }

  /** At most so many bytes; more are not read. */
  public byte[] body(int limit) throws IOException {
    if (request.getContentLengthLong() > limit) {
      throw tooLarge(limit);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    InputStream input = request.getInputStream();
    byte[] buffer = new byte[8192];
    int read;
    while ((read = input.read(buffer)) >= 0) {
      if (body.size() + read > limit) {
        throw tooLarge(limit);
      }
      body.write(buffer, 0, read);
    }
    return body.toByteArray();
  }

  private static Problem tooLarge(int limit) {
    return new Problem(
        413, "too-large", "the body must not be larger than %,d bytes".formatted(limit));
  }

  public static Optional<String> bearer(@Nullable String authorization) {
    return authorization != null && authorization.regionMatches(true, 0, "Bearer ", 0, 7)
        ? Optional.of(authorization.substring(7).strip())
        : Optional.empty();
  }
}
