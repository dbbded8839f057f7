package io.asynq4j.dashboard.internal.problem;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskStateException;
import io.asynq4j.client.DuplicateTaskException;
import io.asynq4j.client.TaskIdConflictException;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.Problem;
import io.asynq4j.http.ProblemFactory;
import io.asynq4j.inspect.QueueNotEmptyException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** The problems of the dashboard, in the format of RFC 9457. */
public final class Problems {

  /** Factory for problems that request parsing finds. */
  public static final ProblemFactory FACTORY = new Factory();

  private Problems() {}

  public static Problem badRequest(String detail) {
    return new Problem(400, "bad-request", "Bad request", detail);
  }

  public static Problem unauthorized(String detail) {
    return new Problem(401, "unauthorized", "Authentication required", detail);
  }

  public static Problem forbidden(String detail) {
    return new Problem(403, "forbidden", "Forbidden", detail);
  }

  public static Problem readOnly() {
    return new Problem(
        403,
        "read-only",
        "The dashboard is read-only",
        "This dashboard is in read-only mode. Use another dashboard or the command line.");
  }

  public static Problem crossSite(String detail) {
    return new Problem(403, "cross-site", "Cross-site request rejected", detail);
  }

  public static Problem notFound(String detail) {
    return new Problem(404, "not-found", "Not found", detail);
  }

  public static Problem queueNotFound(String queue) {
    return new Problem(
        404,
        "queue-not-found",
        "Queue not found",
        "Queue \"" + queue + "\" does not exist, or you have no access to it.");
  }

  public static Problem conflict(String code, String detail) {
    return new Problem(409, code, "Conflict with the current state", detail);
  }

  public static Problem unprocessable(String detail) {
    return new Problem(422, "unprocessable", "Invalid request", detail);
  }

  public static Problem tooMany(String detail, long retryAfterSeconds) {
    return new Problem(429, "too-many", "Too many requests", detail)
        .retryAfter(Duration.ofSeconds(retryAfterSeconds));
  }

  public static Problem busy(String detail) {
    return new Problem(503, "busy", "Service busy", detail);
  }

  public static Problem notLive(String detail) {
    return new Problem(503, "not-live", "Live updates not available", detail);
  }

  /** Maps an exception of the library to a problem. */
  public static Problem of(RuntimeException e) {
    String detail = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    if (e instanceof Problem problem) {
      return problem;
    } else if (e instanceof QueueNotFoundException) {
      return new Problem(404, "queue-not-found", "Queue not found", detail);
    } else if (e instanceof TaskNotFoundException) {
      return new Problem(404, "task-not-found", "Task not found", detail);
    } else if (e instanceof ScheduleNotFoundException) {
      return new Problem(404, "schedule-not-found", "Schedule entry not found", detail);
    } else if (e instanceof TaskStateException) {
      return conflict("wrong-state", detail);
    } else if (e instanceof QueueNotEmptyException) {
      return conflict("queue-not-empty", detail);
    } else if (e instanceof DuplicateTaskException) {
      return conflict("duplicate", detail);
    } else if (e instanceof TaskIdConflictException) {
      return conflict("id-conflict", detail);
    } else if (e instanceof BrokerUnavailableException) {
      return new Problem(503, "redis-unavailable", "Redis unavailable", detail);
    } else if (e instanceof BrokerException) {
      return new Problem(503, "redis-refused", "Redis rejected the command", detail);
    } else if (e instanceof IllegalArgumentException || e instanceof PayloadException) {
      return unprocessable(detail);
    }
    return new Problem(
        500,
        "internal",
        "Internal error",
        "An unexpected error occurred. See the log of the dashboard.");
  }

  /** A request that the HTTP server rejects itself, such as a path with dots. */
  public static Problem ofStatus(int status) {
    return new Problem(
        status, "", "Invalid request", "The HTTP server rejected the request as malformed.");
  }

  public static ApiResponse render(Problem problem) {
    JsonFields body =
        new JsonFields()
            .put(
                "type",
                problem.code().isEmpty() ? "about:blank" : "urn:asynq4j:problem:" + problem.code())
            .put("title", problem.title())
            .put("status", problem.status())
            .put("detail", problem.detail());
    problem.extras().forEach(body::put);
    if (problem.retryAfter() != null) {
      body.put("retryAfter", problem.retryAfter().toSeconds());
    }
    return ApiResponse.json(problem.status(), body)
        .withContentType("application/problem+json")
        .with(problem.headers());
  }

  private static final class Factory implements ProblemFactory {

    @Override
    public Problem malformed(String field, String detail) {
      return badRequest(sentence(detail));
    }

    @Override
    public Problem invalid(String field, String detail) {
      return unprocessable(sentence(detail));
    }

    @Override
    public Problem notJson(String detail) {
      return badRequest(sentence(detail));
    }

    @Override
    public Problem unsupportedType(String detail) {
      return new Problem(415, "not-json", "The body is not JSON", detail);
    }

    @Override
    public Problem tooLarge(long mostBytes) {
      return new Problem(
          413,
          "too-large",
          "The request is too large",
          "A request body can have at most %,d bytes.".formatted(mostBytes));
    }

    @Override
    public Problem malformedUrl(String detail) {
      return badRequest(sentence(detail));
    }

    /** The details of this API are sentences. */
    private static String sentence(String detail) {
      return Character.toUpperCase(detail.charAt(0)) + detail.substring(1) + ".";
    }

    @Override
    public Problem methodNotAllowed(String method, List<String> allowed) {
      String methods = String.join(", ", allowed);
      return new Problem(
              405,
              "method-not-allowed",
              "Method not allowed",
              method + " is not allowed. Allowed: " + methods + ".")
          .with("allow", methods)
          .withHeader("Allow", methods);
    }
  }
}
