package io.asynq4j.http;

import java.util.List;

/** Problems whose code is the name of the method that created them. */
enum TestProblems implements ProblemFactory {
  INSTANCE;

  @Override
  public Problem malformed(String field, String detail) {
    return new Problem(400, "malformed", detail).forField(field);
  }

  @Override
  public Problem invalid(String field, String detail) {
    return new Problem(422, "invalid", detail).forField(field);
  }

  @Override
  public Problem notJson(String detail) {
    return new Problem(400, "not-json", detail);
  }

  @Override
  public Problem unsupportedType(String detail) {
    return new Problem(415, "unsupported-type", detail);
  }

  @Override
  public Problem tooLarge(long maxBytes) {
    return new Problem(413, "too-large", "at most " + maxBytes);
  }

  @Override
  public Problem malformedUrl(String detail) {
    return new Problem(400, "malformed-url", detail);
  }

  @Override
  public Problem methodNotAllowed(String method, List<String> allowed) {
    return new Problem(405, "method-not-allowed", method).with("allow", allowed);
  }
}
