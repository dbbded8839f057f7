package io.asynq4j.http;

import java.util.List;

/** Makes problems with the statuses, codes and titles of one API. Thread-safe. */
public interface ProblemFactory {

  /** A field of the body, or a parameter, is of another type than expected, or unknown. */
  Problem malformed(String field, String detail);

  /** A field is of the expected type but missing, or its value is not possible. */
  Problem invalid(String field, String detail);

  /** The body is not JSON. */
  Problem notJson(String detail);

  /** The body is of a type that is not expected. */
  Problem unsupportedType(String detail);

  /** The body is larger than allowed. */
  Problem tooLarge(long mostBytes);

  /** The URL is not encoded as it must be. */
  Problem malformedUrl(String detail);

  /** The path exists, but not with this method. */
  Problem methodNotAllowed(String method, List<String> allowed);
}
