package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The servlet in the container of an application. */
class DashboardServletIT {

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
  void theApplicationCanAuthenticateRequests() throws Exception {
    Server server =
        serve(
            "/",
            "/*",
            Dashboard.builder(on.redis)
                .access(
                    access ->
                        access.authenticator(
                            request ->
                                "let me in".equals(request.getHeader("X-Word"))
                                    ? Optional.of(Grant.of(Role.VIEWER))
                                    : Optional.empty())));
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

  @Test
  void worksBesideOtherServletsOfTheContainer() throws Exception {
    on.enqueue("mail");
    ServletContextHandler handler = new ServletContextHandler("/");
    handler.addServlet(
        new ServletHolder(
            new HttpServlet() {
              @Override
              protected void doGet(HttpServletRequest request, HttpServletResponse response)
                  throws IOException {
                response.getWriter().print("the application's own");
              }
            }),
        "/v1/*");
    Set<Thread> before = threads();
    DashboardServlet servlet = Dashboard.builder(on.redis).servlet();
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    handler.addServlet(holder, "/dashboard/*");
    Server server = listen(handler);
    try {
      assertThat(get(server, "/v1/tasks").body()).isEqualTo("the application's own");
      HttpResponse<String> bare = get(server, "/dashboard");
      assertThat(bare.statusCode()).isEqualTo(302);
      assertThat(bare.headers().firstValue("Location")).contains("/dashboard/");
      assertThat(get(server, "/dashboard/").body()).contains("<base href=\"/dashboard/\">");
      assertThat(get(server, "/dashboard/app.js").body()).contains("app-shell");
      assertThat(get(server, "/dashboard/metrics").body()).contains("asynq_up 1.0");
      assertThat(firstEvent(server, "/dashboard/api/v1/events")).isEqualTo("event: snapshot");
      HttpResponse<String> paused =
          HTTP.send(
              HttpRequest.newBuilder(uri(server, "/dashboard/api/v1/queues/mail/pause"))
                  .header("X-Asynq-Request", "1")
                  .POST(HttpRequest.BodyPublishers.noBody())
                  .build(),
              BodyHandlers.ofString());
      assertThat(paused.statusCode()).isEqualTo(204);
      assertThat(on.inspector.queue("mail").snapshot().paused()).isTrue();
    } finally {
      server.stop();
    }
    // Its threads have ended with the container, and closing it once more does no harm.
    await().until(() -> before.containsAll(threads()));
    servlet.close();
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("asynq-dashboard"))
        .collect(Collectors.toSet());
  }

  private static String firstEvent(Server server, String path) throws Exception {
    HttpResponse<InputStream> stream =
        HTTP.send(HttpRequest.newBuilder(uri(server, path)).build(), BodyHandlers.ofInputStream());
    assertThat(stream.headers().firstValue("Content-Type"))
        .contains("text/event-stream;charset=utf-8");
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (line != null && !line.startsWith("event:")) {
        line = lines.readLine();
      }
      return String.valueOf(line);
    }
  }

  @Test
  void aContainerWithoutAsynchronousRequestsGetsAProblemWithTheFix() throws Exception {
    ServletContextHandler handler = new ServletContextHandler("/");
    ServletHolder holder = new ServletHolder(Dashboard.builder(on.redis).servlet());
    holder.setAsyncSupported(false);
    handler.addServlet(holder, "/*");
    Server server = listen(handler);
    try {
      HttpResponse<String> answer = get(server, "/api/v1/events");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("asynchronous");
      assertThat(get(server, "/api/v1/overview").statusCode()).isEqualTo(200);
    } finally {
      server.stop();
    }
  }

  private static Server serve(String context, String mapping, Dashboard.Builder builder)
      throws Exception {
    ServletContextHandler handler = new ServletContextHandler(context);
    ServletHolder holder = new ServletHolder(builder.servlet());
    holder.setAsyncSupported(true);
    handler.addServlet(holder, mapping);
    return listen(handler);
  }

  private static Server listen(ServletContextHandler handler) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
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
