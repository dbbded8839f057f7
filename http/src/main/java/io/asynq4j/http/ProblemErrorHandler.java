package io.asynq4j.http;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Renders errors of the HTTP server itself, such as a malformed path, in the format of an API. */
public final class ProblemErrorHandler extends ErrorHandler {

  private final IntFunction<Problem> problems;
  private final ProblemRenderer renderer;

  /**
   * @param problems returns the problem of a status
   */
  public ProblemErrorHandler(IntFunction<Problem> problems, ProblemRenderer renderer) {
    this.problems = problems;
    this.renderer = renderer;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    ApiResponse reply = renderer.render(problems.apply(response.getStatus()));
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.contentType());
    response.getHeaders().put("X-Content-Type-Options", "nosniff");
    response.write(/* last= */ true, ByteBuffer.wrap(reply.body()), callback);
    return true;
  }
}
