package io.asynq4j.http;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reason for refusing a request: a status, a code for programs and a text for people. A {@link
 * ProblemRenderer} defines the format. Immutable.
 */
public final class Problem extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final String title;
  private final @Nullable String field;
  private final @Nullable Duration retryAfter;
  private final transient Map<String, Object> extras;
  private final transient Map<String, String> headers;

  /** Creates a problem without a title, for APIs that have none. */
  public Problem(int status, String code, String detail) {
    this(status, code, "", detail);
  }

  public Problem(int status, String code, String title, String detail) {
    this(status, code, title, detail, null, null, Map.of(), Map.of());
  }

  private Problem(
      int status,
      String code,
      String title,
      String detail,
      @Nullable String field,
      @Nullable Duration retryAfter,
      Map<String, Object> extras,
      Map<String, String> headers) {
    super(detail, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.status = status;
    this.code = code;
    this.title = title;
    this.field = field;
    this.retryAfter = retryAfter;
    this.extras = extras;
    this.headers = headers;
  }

  /** Names the invalid field, parameter or header; empty for the body as a whole. */
  public Problem forField(String name) {
    return new Problem(status, code, title, detail(), name, retryAfter, extras, headers);
  }

  public Problem retryAfter(Duration time) {
    return new Problem(status, code, title, detail(), field, time, extras, headers);
  }

  /** Adds a member to the body of the response. */
  public Problem with(String name, Object value) {
    return new Problem(
        status, code, title, detail(), field, retryAfter, added(extras, name, value), headers);
  }

  public Problem withHeader(String name, String value) {
    return new Problem(
        status, code, title, detail(), field, retryAfter, extras, added(headers, name, value));
  }

  private static <V> Map<String, V> added(Map<String, V> map, String name, V value) {
    Map<String, V> all = new LinkedHashMap<>(map);
    all.put(name, value);
    return Collections.unmodifiableMap(all);
  }

  public int status() {
    return status;
  }

  public String code() {
    return code;
  }

  public String title() {
    return title;
  }

  public String detail() {
    return Objects.requireNonNull(getMessage());
  }

  public @Nullable String field() {
    return field;
  }

  public @Nullable Duration retryAfter() {
    return retryAfter;
  }

  /** Further members of the body, in order. */
  public Map<String, Object> extras() {
    return extras;
  }

  /** Headers of the response, including when to retry. */
  public Map<String, String> headers() {
    return retryAfter == null
        ? headers
        : added(headers, "Retry-After", Long.toString(Math.max(1, retryAfter.toSeconds())));
  }
}
