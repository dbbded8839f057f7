package io.asynq4j.service;

/** The task service has refused a request, or cannot answer now. */
public final class TaskServiceException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final String field;

  TaskServiceException(int status, String code, String field, String message) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }

  /** The status of the answer, such as 409. */
  public int status() {
    return status;
  }

  /** What is wrong, as a word: {@code id-taken}, {@code invalid}. */
  public String code() {
    return code;
  }

  /** The field that makes no sense; empty when it is not about one. */
  public String field() {
    return field;
  }
}
