package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The servlet in a container of somebody else's. */
class ServletIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @ParameterizedTest
  @CsvSource({
    "/,/*,''",
    "/app,/*,/app",
    "/app,/tasks/*,/app/tasks",
    "/,/a/b/*,/a/b",
    "/app,/,/app"
  })
  void worksUnderAnyPath(String context, String mapping, String root) throws Exception {
    on.enqueue("mail");
    Server server = serve(context, mapping, Dashboard.builder(on.redis));
    try {
      assertThat(get(server, root + "/api/v1/session").statusCode()).isEqualTo(200);
      assertThat(get(server, root + "/api/v1/queues/mail").body()).contains("\"pending\":1");
      assertThat(get(server, root + "/").body()).contains("<base href=\"" + root + "/\">");
      assertThat(get(server, root + "/api/v1/nothing").statusCode()).isEqualTo(404);
    } finally {
      server.stop();
    }
  }

  @Test
  void theApplicationMaySayWhoIsAsking() throws Exception {
    Server server =
        serve(
            "/",
            "/*",
            Dashboard.builder(on.redis)
                .authenticator(
                    request ->
                        "let me in".equals(request.getHeader("X-Word"))
                            ? Optional.of(Grant.of(Role.VIEWER))
                            : Optional.empty()));
    try {
      assertThat(get(server, "/api/v1/session").statusCode()).isEqualTo(401);
      HttpResponse<String> known =
          HTTP.send(
              HttpRequest.newBuilder(uri(server, "/api/v1/session"))
                  .header("X-Word", "let me in")
                  .build(),
              BodyHandlers.ofString());
      assertThat(known.statusCode()).isEqualTo(200);
      assertThat(known.body()).contains("\"role\":\"viewer\"");
    } finally {
      server.stop();
    }
  }

  private static Server serve(String context, String mapping, Dashboard.Builder builder)
      throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler handler = new ServletContextHandler(context);
    ServletHolder holder = new ServletHolder(builder.servlet());
    holder.setAsyncSupported(true);
    handler.addServlet(holder, mapping);
    server.setHandler(handler);
    server.start();
    return server;
  }

  private static URI uri(Server server, String path) {
    ServerConnector connector = (ServerConnector) server.getConnectors()[0];
    return URI.create("http://127.0.0.1:" + connector.getLocalPort() + path);
  }

  private static HttpResponse<String> get(Server server, String path) throws Exception {
    return HTTP.send(HttpRequest.newBuilder(uri(server, path)).build(), BodyHandlers.ofString());
  }
}
