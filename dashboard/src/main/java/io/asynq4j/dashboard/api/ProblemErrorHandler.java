package io.asynq4j.dashboard.api;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** What the server itself refuses, as a path with dots in it, told like everything else. */
public final class ProblemErrorHandler extends ErrorHandler {

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/problem+json");
    response.getHeaders().put("X-Content-Type-Options", "nosniff");
    response.write(true, ByteBuffer.wrap(body(response.getStatus())), callback);
    return true;
  }

  static byte[] body(int status) {
    return Json.bytes(
        new JsonFields()
            .put("type", "about:blank")
            .put("title", "The server refuses this request")
            .put("status", status)
            .put("detail", "The request does not look as it should.")
            .map());
  }
}
