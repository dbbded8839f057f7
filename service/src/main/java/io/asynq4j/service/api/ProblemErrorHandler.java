package io.asynq4j.service.api;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** What the HTTP server itself refuses, such as a malformed path, in the form of all errors. */
public final class ProblemErrorHandler extends ErrorHandler {

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Problem problem = problem(response.getStatus());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, ApiResponse.JSON);
    response.getHeaders().put("X-Content-Type-Options", "nosniff");
    response.write(/* last= */ true, ByteBuffer.wrap(Json.bytes(problem.json())), callback);
    return true;
  }

  private static Problem problem(int status) {
    return switch (status) {
      case 408 -> new Problem(408, "too-slow", "the body came too slowly");
      case 413 -> new Problem(413, "too-large", "the body is too large");
      case 503 -> new Problem(503, "unavailable", "too much is under way; ask again");
      default ->
          status >= 500
              ? new Problem(status, "internal", "the request failed")
              : new Problem(status, "bad-request", "this is no valid HTTP request");
    };
  }
}
