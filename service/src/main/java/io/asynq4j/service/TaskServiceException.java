package io.asynq4j.service;

import io.asynq4j.AsynqException;
import org.jspecify.annotations.Nullable;

/** The task service refused a request, or is unavailable. */
public final class TaskServiceException extends AsynqException {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final String field;

  TaskServiceException(int status, String code, String field, String message) {
    this(status, code, field, message, null);
  }

  TaskServiceException(
      int status, String code, String field, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
    this.code = code;
    this.field = field;
  }

  /** The status of the response, such as 409; 0 without a response. */
  public int status() {
    return status;
  }

  /**
   * The code of the problem, such as {@code id-taken} or {@code invalid}; {@code unavailable}
   * without a response.
   */
  public String code() {
    return code;
  }

  /** The invalid field; empty if the problem is not about one. */
  public String field() {
    return field;
  }
}
