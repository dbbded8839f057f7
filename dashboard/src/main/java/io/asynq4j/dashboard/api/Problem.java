package io.asynq4j.dashboard.api;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.DuplicateTaskException;
import io.asynq4j.PayloadException;
import io.asynq4j.QueueNotEmptyException;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.TaskIdConflictException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskStateException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Why a request is not answered as it was meant, in the form of RFC 9457. */
public final class Problem extends RuntimeException {

  private final int status;
  private final String word;
  private final String title;
  private final Map<String, Object> extra = new LinkedHashMap<>();

  private Problem(int status, String word, String title, String detail) {
    super(detail, null, false, false);
    this.status = status;
    this.word = word;
    this.title = title;
  }

  public static Problem badRequest(String detail) {
    return new Problem(400, "bad-request", "The request cannot be read", detail);
  }

  public static Problem unauthorized(String detail) {
    return new Problem(401, "unauthorized", "Log in first", detail);
  }

  public static Problem forbidden(String detail) {
    return new Problem(403, "forbidden", "This is not allowed", detail);
  }

  public static Problem readOnly() {
    return new Problem(
        403,
        "read-only",
        "The dashboard is read-only",
        "This dashboard was started read-only, so it changes nothing. Use another, or the command line.");
  }

  public static Problem crossSite(String detail) {
    return new Problem(403, "cross-site", "The request comes from elsewhere", detail);
  }

  public static Problem notFound(String detail) {
    return new Problem(404, "not-found", "There is no such thing", detail);
  }

  static Problem queueNotFound(String queue) {
    return new Problem(
        404,
        "queue-not-found",
        "There is no such queue",
        "There is no queue \"" + queue + "\", or it is not yours to see.");
  }

  public static Problem methodNotAllowed(String method, String allowed) {
    return new Problem(
            405,
            "method-not-allowed",
            "Not with this method",
            method + " is not possible here; possible: " + allowed)
        .with("allow", allowed);
  }

  static Problem conflict(String word, String detail) {
    return new Problem(409, word, "Its state does not allow this", detail);
  }

  static Problem tooLarge(long most) {
    return new Problem(
        413,
        "too-large",
        "The request is too large",
        "A request like this may have %,d bytes at most.".formatted(most));
  }

  static Problem notJson(String type) {
    return new Problem(
        415,
        "not-json",
        "The body is not JSON",
        "Send the body with Content-Type: application/json, not " + type + ".");
  }

  public static Problem unprocessable(String detail) {
    return new Problem(422, "unprocessable", "This makes no sense", detail);
  }

  public static Problem tooMany(String detail, long retryAfterSeconds) {
    return new Problem(429, "too-many", "Too much at once", detail)
        .with("retryAfter", retryAfterSeconds);
  }

  public static Problem busy(String detail) {
    return new Problem(503, "busy", "Try again later", detail);
  }

  static Problem notLive(String detail) {
    return new Problem(503, "not-live", "No live updates here", detail);
  }

  /** What the library says, in the words of HTTP. */
  public static Problem of(RuntimeException e) {
    String detail = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    if (e instanceof Problem problem) {
      return problem;
    } else if (e instanceof QueueNotFoundException) {
      return new Problem(404, "queue-not-found", "There is no such queue", detail);
    } else if (e instanceof TaskNotFoundException) {
      return new Problem(404, "task-not-found", "There is no such task", detail);
    } else if (e instanceof ScheduleNotFoundException) {
      return new Problem(404, "schedule-not-found", "There is no such schedule", detail);
    } else if (e instanceof TaskStateException) {
      return conflict("wrong-state", detail);
    } else if (e instanceof QueueNotEmptyException) {
      return conflict("queue-not-empty", detail);
    } else if (e instanceof DuplicateTaskException) {
      return conflict("duplicate", detail);
    } else if (e instanceof TaskIdConflictException) {
      return conflict("id-conflict", detail);
    } else if (e instanceof BrokerUnavailableException) {
      return new Problem(503, "redis-unavailable", "Redis cannot be reached", detail);
    } else if (e instanceof BrokerException) {
      return new Problem(503, "redis-refused", "Redis refuses", detail);
    } else if (e instanceof IllegalArgumentException || e instanceof PayloadException) {
      return unprocessable(detail);
    }
    return new Problem(
        500,
        "internal",
        "The dashboard has failed",
        "This is a defect of the dashboard; its log says more.");
  }

  Problem with(String name, Object value) {
    extra.put(name, value);
    return this;
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  public String detail() {
    return Objects.requireNonNull(getMessage());
  }

  /** A header that belongs to it; null when there is none. */
  public Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    if (extra.containsKey("retryAfter")) {
      headers.put("Retry-After", String.valueOf(extra.get("retryAfter")));
    }
    if (extra.containsKey("allow")) {
      headers.put("Allow", String.valueOf(extra.get("allow")));
    }
    return headers;
  }

  public Map<String, Object> body() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("type", "urn:asynq4j:problem:" + word);
    body.put("title", title);
    body.put("status", status);
    body.put("detail", detail());
    body.putAll(extra);
    return body;
  }
}
