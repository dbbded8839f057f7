package io.asynq4j.service.response;

import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.Problem;
import io.asynq4j.http.ProblemFactory;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The problems of the service, rendered as an object {@code error} with a code and a message. */
public final class Problems {

  /** Creates the problems that the parser of requests finds. */
  public static final ProblemFactory FACTORY = new Factory();

  private Problems() {}

  /**
   * A field has an invalid value.
   *
   * @param field empty for the body as a whole
   */
  public static Problem invalid(String field, String message) {
    return new Problem(422, "invalid", message).forField(field);
  }

  /** The caller's key does not allow the request. */
  public static Problem forbidden(String message) {
    return new Problem(403, "forbidden", message);
  }

  public static Problem notFound(String message) {
    return new Problem(404, "not-found", message);
  }

  /**
   * A task already exists, or is in another state than expected.
   *
   * @param existing returned with the problem
   */
  public static Problem conflict(String code, String message, @Nullable ObjectNode existing) {
    Problem problem = new Problem(409, code, message);
    return existing == null ? problem : problem.with("task", existing);
  }

  /** A temporary problem: the same request may succeed later. */
  public static Problem notNow(int status, String code, String message, Duration retryAfter) {
    return new Problem(status, code, message).retryAfter(retryAfter);
  }

  /** Returns the problem of a status that the HTTP server sets itself. */
  public static Problem ofStatus(int status) {
    return switch (status) {
      case 408 -> new Problem(408, "too-slow", "the body arrived too slowly");
      case 413 -> new Problem(413, "too-large", "the body is too large");
      case 503 -> new Problem(503, "unavailable", "the service is overloaded; repeat the request");
      default ->
          status >= 500
              ? new Problem(status, "internal", "the request failed")
              : new Problem(status, "bad-request", "invalid HTTP request");
    };
  }

  public static ApiResponse render(Problem problem) {
    ObjectNode body = Json.object();
    ObjectNode error = body.putObject("error");
    error.put("code", problem.code());
    error.put("message", problem.detail());
    if (problem.field() != null) {
      error.put("field", problem.field());
    }
    problem.extras().forEach((name, value) -> body.set(name, Json.MAPPER.valueToTree(value)));
    return ApiResponse.json(problem.status(), body).with(problem.headers());
  }

  private static final class Factory implements ProblemFactory {

    @Override
    public Problem malformed(String field, String detail) {
      return Problems.invalid(field, detail);
    }

    @Override
    public Problem invalid(String field, String detail) {
      return Problems.invalid(field, detail);
    }

    @Override
    public Problem notJson(String detail) {
      return new Problem(400, "bad-json", detail);
    }

    @Override
    public Problem unsupportedType(String detail) {
      return new Problem(415, "unsupported-type", detail);
    }

    @Override
    public Problem tooLarge(long maxBytes) {
      return new Problem(
          413, "too-large", "the body must not be larger than %,d bytes".formatted(maxBytes));
    }

    @Override
    public Problem malformedUrl(String detail) {
      return new Problem(400, "bad-path", detail);
    }

    @Override
    public Problem methodNotAllowed(String method, List<String> allowed) {
      String methods = String.join(", ", allowed.stream().sorted().toList());
      return new Problem(
              405,
              "method-not-allowed",
              "the method is not allowed for this path; allowed: " + methods)
          .withHeader("Allow", methods);
    }
  }
}
