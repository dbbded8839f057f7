package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.TaskClient;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.redis.RedisConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that do not read, or that stop sending. */
class SlowClientsIT {

  private static final int LARGEST = DashboardSettings.LARGEST_BODY;

  @RegisterExtension static final DashboardFixture fixture = new DashboardFixture();

  private final List<Socket> sockets = new ArrayList<>();

  @AfterEach
  void hangUp() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private Socket send(Dashboard dashboard, String head, int bodyBytes) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.setReceiveBufferSize(1_024);
    socket.setSoTimeout(60_000);
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), dashboard.uri().getPort()));
    String request =
        head
            + "Host: localhost\r\nContent-Type: application/json\r\nX-Asynq-Request: 1\r\n\r\n"
            + "x".repeat(bodyBytes);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String statusLine(Socket socket) throws IOException {
    return new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
        .readLine();
  }

  @Test
  void aClientThatDoesNotReadHoldsNoThread() throws Exception {
    Dashboard dashboard = fixture.start();
    // However busy the machine is: a payload of this size may take longer than other commands.
    try (RedisConnection patient =
            RedisConnection.open(fixture.server.uri() + "?commandTimeout=60s");
        TaskClient client = TaskClient.builder(patient).maxPayload(32 << 20).build()) {
      client
          .enqueue(
              Task.of("t", Payload.of(new byte[16 << 20])),
              TaskOptions.of(o -> o.queue("q").id("large")))
          .orThrow();
    }
    Socket socket = send(dashboard, "GET /api/v1/queues/q/tasks/large/payload HTTP/1.1\r\n", 0);
    await().until(() -> dashboard.unsent() > 0);
    socket.close();
    await().until(() -> dashboard.unsent() == 0);
  }

  @Test
  void clientsWithoutAVerifiedLoginDoNotHoldTheMemoryForBodies() throws Exception {
    Credentials.NewToken token = Credentials.newToken("ci", Grant.of(Role.ADMIN));
    Dashboard dashboard =
        fixture.start(
            builder -> builder.access(a -> a.credentials(Credentials.of(List.of(token.line())))));
    String post =
        "POST /api/v1/queues/q/tasks HTTP/1.1\r\nContent-Length: %d\r\nAuthorization: %s\r\n";
    String anybody = post.formatted(LARGEST, "x");
    String known = post.formatted(LARGEST, "Bearer " + token.token());
    // A login that has been verified before.
    Socket login =
        send(
            dashboard,
            "GET /api/v1/queues HTTP/1.1\r\nAuthorization: Bearer %s\r\n".formatted(token.token()),
            0);
    assertThat(statusLine(login)).contains(" 200 ");
    send(dashboard, anybody, LARGEST - 1);
    await().until(() -> dashboard.received() == LARGEST - 1);
    assertThat(statusLine(send(dashboard, anybody, 2))).contains(" 503 ");
    // It is received, but is not JSON.
    assertThat(statusLine(send(dashboard, known, LARGEST))).contains(" 400 ");
  }
}
