package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.service.auth.ApiKey;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers that start a request and do not continue. */
class SlowRequestsIT {

  /** More than the threads of any server here. */
  private static final int CALLERS = 300;

  private final List<Socket> callers = new ArrayList<>();

  @AfterEach
  void hangUp() throws Exception {
    for (Socket caller : callers) {
      caller.close();
    }
  }

  private void halfSent(int port, String path, String headers) throws Exception {
    for (int i = 0; i < CALLERS; i++) {
      Socket caller = new Socket(InetAddress.getLoopbackAddress(), port);
      callers.add(caller);
      String request =
          "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                  .formatted(path)
              + headers
              + "Content-Length: 100\r\n\r\n{\"name\":";
      caller.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      caller.getOutputStream().flush();
    }
  }

  @Test
  void halfSentTasksDoNotBlockTheService() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture()) {
      TaskService service = fixture.start("tasks: { a: { kind: worker } }");
      halfSent(service.port(), "/v1/tasks", "");
      assertThat(RawHttp.status(fixture, "GET /livez HTTP/1.1")).isEqualTo(200);
      assertThat(fixture.post("/v1/tasks", "{\"name\":\"a\"}").status()).isEqualTo(201);
      // The replica must not wait for them when it shuts down.
      hangUp();
    }
  }

  @Test
  void bodiesOfUnknownCallersAreNotWaitedFor() throws Exception {
    String key = ApiKey.create();
    try (ServiceFixture fixture = new ServiceFixture()) {
      TaskService service =
          fixture.start(
              "keys: [{ name: all, hash: \"%s\", scopes: [submit] }]"
                  .formatted(ApiKey.hashOf(key)));
      halfSent(service.port(), "/v1/tasks", "Authorization: Bearer wrong\r\n");
      for (Socket caller : callers) {
        caller.setSoTimeout(30_000);
        assertThat(RawHttp.status(caller)).isEqualTo(401);
      }
    }
  }

  @Test
  void halfSentRequestsDoNotBlockTheDashboard() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture();
        Dashboard dashboard = Dashboard.builder(fixture.redis).port(0).start()) {
      int port = dashboard.uri().getPort();
      halfSent(port, "/api/v1/queues/a/tasks", "X-Asynq-Request: 1\r\n");
      for (String path : List.of("/health", "/api/v1/queues")) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
          socket.setSoTimeout(30_000);
          RawHttp.send(socket, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
          assertThat(RawHttp.status(socket)).isEqualTo(200);
        }
      }
      hangUp();
    }
  }

  @Test
  void bodiesWithoutALoginAreNotReceivedByTheDashboard() throws Exception {
    Credentials credentials =
        Credentials.of(List.of(Credentials.newToken("ci", Grant.of(Role.ADMIN)).line()));
    try (ServiceFixture fixture = new ServiceFixture();
        Dashboard dashboard =
            Dashboard.builder(fixture.redis)
                .port(0)
                .access(a -> a.credentials(credentials))
                .start()) {
      halfSent(dashboard.uri().getPort(), "/api/v1/queues/a/tasks", "X-Asynq-Request: 1\r\n");
      for (Socket caller : callers) {
        caller.setSoTimeout(30_000);
        assertThat(RawHttp.status(caller)).isEqualTo(401);
      }
    }
  }
}
