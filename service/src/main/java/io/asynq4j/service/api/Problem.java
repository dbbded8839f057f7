package io.asynq4j.service.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Why a request cannot be answered as it hoped: a status, a word for programs, words for people.
 */
public final class Problem extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final String words;
  private final @Nullable String field;
  private final @Nullable Duration retryAfter;
  private final transient @Nullable ObjectNode task;

  public Problem(int status, String code, String words) {
    this(status, code, words, null, null, null);
  }

  private Problem(
      int status,
      String code,
      String words,
      @Nullable String field,
      @Nullable Duration retryAfter,
      @Nullable ObjectNode task) {
    super(words, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.status = status;
    this.code = code;
    this.words = words;
    this.field = field;
    this.retryAfter = retryAfter;
    this.task = task;
  }

  /** Something that was sent makes no sense. */
  public static Problem invalid(String field, String words) {
    return new Problem(422, "invalid", words, field, null, null);
  }

  /** It is there already. */
  public static Problem conflict(String code, String words, @Nullable ObjectNode existing) {
    return new Problem(409, code, words, null, null, existing);
  }

  public static Problem notNow(int status, String code, String words, Duration retryAfter) {
    return new Problem(status, code, words, null, retryAfter, null);
  }

  int status() {
    return status;
  }

  @Nullable Duration retryAfter() {
    return retryAfter;
  }

  ObjectNode json() {
    ObjectNode body = Json.object();
    ObjectNode error = body.putObject("error");
    error.put("code", code);
    error.put("message", words);
    if (field != null) {
      error.put("field", field);
    }
    if (task != null) {
      body.set("task", task);
    }
    return body;
  }
}
