package io.asynq4j.http;

import java.util.List;

/** Creates problems with the statuses, codes and titles of one API. Thread-safe. */
public interface ProblemFactory {

  /** A field of the body, or a parameter, has the wrong type or is unknown. */
  Problem malformed(String field, String detail);

  /** A field has the right type, but is missing or has an invalid value. */
  Problem invalid(String field, String detail);

  /** The body is not JSON. */
  Problem notJson(String detail);

  /** The Content-Type of the body is not supported. */
  Problem unsupportedType(String detail);

  /** The body is larger than allowed. */
  Problem tooLarge(long maxBytes);

  /** The URL is not encoded correctly. */
  Problem malformedUrl(String detail);

  /** The path exists, but not with this method. */
  Problem methodNotAllowed(String method, List<String> allowed);
}
