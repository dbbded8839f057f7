package io.asynq4j.service.api;

import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.HttpExchange;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.response.Problems;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A request of an authenticated caller. Used by one thread at a time. */
public final class Exchange extends HttpExchange {

  private final ApiKey caller;

  Exchange(HttpServletRequest request, ApiKey caller, Map<String, String> variables) {
    super(request, variables, Problems.FACTORY);
    this.caller = caller;
  }

  public ApiKey caller() {
    return caller;
  }

  Duration waitTime(Duration longest) {
    return query("wait").map(text -> waitTime(text, longest)).orElse(Duration.ZERO);
  }

  public static Duration waitTime(String text, Duration longest) {
    return DurationFormat.tryParse(text)
        .filter(wait -> !wait.isNegative() && wait.compareTo(longest) <= 0)
        .orElseThrow(
            () ->
                Problems.invalid(
                    "wait",
                    "\"wait\" must be a duration of %s or less, %s"
                        .formatted(DurationFormat.format(longest), DurationFormat.EXPECTED)));
  }

  /** Whether the body has many tasks, one per line. Refuses types other than JSON. */
  public boolean isLines() {
    String type = contentType();
    if (type.equals(ApiResponse.JSON_LINES) || type.equals("application/jsonl")) {
      return true;
    }
    if (type.equals(ApiResponse.JSON)) {
      return false;
    }
    throw Problems.FACTORY.unsupportedType(
        "the Content-Type must be application/json, or application/x-ndjson for many tasks");
  }

  public RequestFields fields(int limit) throws IOException {
    return new RequestFields(json(limit), "the body", Problems.FACTORY);
  }

  /** Returns the body of an endpoint that expects many tasks as a list instead of lines. */
  public JsonNode json(int limit) throws IOException {
    if (isLines()) {
      throw Problems.FACTORY.unsupportedType("the body must be one JSON object");
    }
    return Json.parse(body(limit), "the body", Problems.FACTORY);
  }
}
