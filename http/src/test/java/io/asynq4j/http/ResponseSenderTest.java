package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that do not read their responses. */
@SuppressWarnings("NullAway.Init") // Set by each test.
class ResponseSenderTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final int SMALL = 100_000;
  private static final int LARGE = 1_000_000;

  private final CountDownLatch written = new CountDownLatch(1);
  private final CountDownLatch undelivered = new CountDownLatch(1);
  private HttpTestServer server;
  private ResponseSender sender;

  /** Answers with many bytes, by blocking writes; at /stream by an event stream. */
  private final class Answers extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      String path = Request.getPathInContext(request);
      request.setAttribute(ResponseSender.UNDELIVERED, (Runnable) undelivered::countDown);
      byte[] body =
          "~".repeat(path.equals("/health") ? SMALL : LARGE).getBytes(StandardCharsets.US_ASCII);
      if (path.equals("/stream")) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        response.write(
            /* last= */ true,
            ByteBuffer.wrap(body),
            Callback.from(Callback.from(written::countDown), callback));
        return true;
      }
      try (OutputStream out = Content.Sink.asOutputStream(response)) {
        out.write(body);
      }
      written.countDown();
      callback.succeeded();
      return true;
    }
  }

  private void start(long max, Duration longest) throws Exception {
    sender = new ResponseSender(HttpTestServer.budget(new Answers()), max, longest);
    server = new HttpTestServer(sender);
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  /** Opens a connection with a small receive buffer. */
  private Socket send(String path, int times) throws IOException {
    Socket socket = server.connect(/* receiveBuffer= */ 1_024);
    String request = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path);
    socket.getOutputStream().write(request.repeat(times).getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Number of body bytes received before the connection ends, up to a maximum. */
  private static int bodyBytes(Socket socket, int max) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[8_192];
    int found = 0;
    try {
      int read;
      while (found < max && (read = in.read(buffer)) >= 0) {
        for (int i = 0; i < read; i++) {
          found += buffer[i] == '~' ? 1 : 0;
        }
      }
    } catch (java.net.SocketException e) {
      // Reset: the end.
    }
    return found;
  }

  @Test
  void clientsThatDoNotReadHoldNoThread() throws Exception {
    start(0, HOUR);
    for (int i = 0; i < 3 * HttpTestServer.THREADS; i++) {
      send("/health", 10);
    }
    await().until(() -> sender.held() > 3 * HttpTestServer.THREADS * (SMALL / 2));
    assertThat(bodyBytes(send("/health", 1), SMALL)).isEqualTo(SMALL);
    assertThat(bodyBytes(send("/", 1), LARGE)).isEqualTo(LARGE);
  }

  @Test
  void aClientThatReadsLateGetsEverything() throws Exception {
    start(100L * LARGE, HOUR);
    Socket socket = send("/", 3);
    assertThat(written.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(sender.held()).isPositive();
    assertThat(bodyBytes(socket, 3 * LARGE)).isEqualTo(3 * LARGE);
    await().until(() -> sender.held() == 0);
    assertThat(undelivered.getCount()).isEqualTo(1);
  }

  @Test
  void beyondWhatMayBeKeptAThreadWaitsForTheReader() throws Exception {
    start(0, HOUR);
    Socket socket = send("/", 1);
    await().until(() -> sender.held() > 0);
    assertThat(written.getCount()).isEqualTo(1);
    assertThat(bodyBytes(socket, LARGE)).isEqualTo(LARGE);
    assertThat(written.await(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void aClientThatTakesTooLongIsDisconnected() throws Exception {
    start(100L * LARGE, Duration.ofMillis(300));
    Socket socket = send("/", 1);
    assertThat(undelivered.await(1, TimeUnit.MINUTES)).isTrue();
    await().until(() -> sender.held() == 0);
    assertThat(bodyBytes(socket, LARGE)).isLessThan(LARGE);
  }

  @Test
  void aClientThatLeavesIsForgotten() throws Exception {
    start(100L * LARGE, HOUR);
    Socket socket = send("/", 1);
    assertThat(written.await(1, TimeUnit.MINUTES)).isTrue();
    socket.close();
    assertThat(undelivered.await(1, TimeUnit.MINUTES)).isTrue();
    await().until(() -> sender.held() == 0);
  }

  @Test
  void anEventStreamIsNotKept() throws Exception {
    start(100L * LARGE, HOUR);
    Socket socket = send("/stream", 1);
    assertThat(socket.getInputStream().read()).isPositive();
    assertThat(sender.held()).isZero();
    assertThat(written.getCount()).isEqualTo(1);
    assertThat(bodyBytes(socket, LARGE)).isEqualTo(LARGE);
    assertThat(written.await(1, TimeUnit.MINUTES)).isTrue();
  }
}
