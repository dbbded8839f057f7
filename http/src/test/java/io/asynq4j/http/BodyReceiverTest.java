package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies that arrive slowly, and requests that occupy threads. */
@SuppressWarnings("NullAway.Init") // Set by each test.
class BodyReceiverTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final String CHUNKED =
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";

  private final CountDownLatch release = new CountDownLatch(1);
  private HttpTestServer server;
  private BodyReceiver receiver;

  /** Answers with the body; waits at /wait. */
  private final class Echo extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      if (Request.getPathInContext(request).equals("/wait")) {
        release.await();
      }
      if (Request.getPathInContext(request).equals("/error")) {
        throw new OutOfMemoryError("as there may be");
      }
      Content.Sink.write(response, true, Content.Source.asString(request), callback);
      return true;
    }
  }

  private void start(BodyLimits limits) throws Exception {
    receiver =
        new BodyReceiver(HttpTestServer.budget(new Echo()), () -> limits, BodyReceiverTest::caller);
    server = new HttpTestServer(receiver);
  }

  private static Optional<BodyCaller> caller(Request request) {
    HttpFields headers = request.getHeaders();
    if (headers.contains("X-Unknown")) {
      return Optional.empty();
    }
    if (headers.contains("X-Key")) {
      return Optional.of(BodyCaller.verified(headers.get("X-Key")));
    }
    return Optional.of(
        headers.contains("X-Network")
            ? BodyCaller.unverified(headers.get("X-Network"))
            : BodyCaller.alone());
  }

  @AfterEach
  void stop() throws Exception {
    release.countDown();
    server.stop();
  }

  private Socket send(String text) throws IOException {
    Socket socket = server.connect();
    more(socket, text);
    return socket;
  }

  private static void more(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  private static String post(String path, int length, String body) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(path, length, body);
  }

  private static String get(String path) {
    return "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(path);
  }

  /** Reads until the text, or until the connection ends. */
  private static String answer(Socket socket, String until) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder answer = new StringBuilder();
    int next;
    while (answer.indexOf(until) < 0 && (next = in.read()) >= 0) {
      answer.append((char) next);
    }
    return answer.toString();
  }

  @Test
  void sendersThatStopHalfWayHoldNoThread() throws Exception {
    start(BodyLimits.upTo(1_000));
    Socket first = send(post("/", 10, "12345"));
    for (int i = 0; i < 3 * HttpTestServer.THREADS; i++) {
      send(post("/", 10, "12345"));
    }
    assertThat(answer(send(get("/")), "\r\n")).contains("200");
    assertThat(answer(send(post("/", 3, "abc")), "abc")).endsWith("abc");
    more(first, "67890");
    assertThat(answer(first, "1234567890")).endsWith("1234567890");
  }

  @Test
  void aBodyInManyPiecesIsGivenAsOne() throws Exception {
    start(BodyLimits.upTo(1_000));
    Socket socket = send(CHUNKED);
    for (int i = 0; i < 10; i++) {
      more(socket, "2\r\n%d,\r\n".formatted(i));
    }
    more(socket, "0\r\n\r\n");
    assertThat(answer(socket, "9,")).endsWith("0,1,2,3,4,5,6,7,8,9,");
    more(socket, post("/", 4, "next"));
    assertThat(answer(socket, "next")).endsWith("next");
    await().until(() -> receiver.held() == 0);
  }

  @Test
  void aBodyThatComesTooSlowlyIsRefusedAndForgotten() throws Exception {
    start(new BodyLimits(1_000, 10_000, Duration.ofMillis(300), 1_000_000, HOUR));
    Socket socket = send(post("/", 500, "x"));
    assertThat(answer(socket, "none")).contains(" 408 ", "Connection: close");
    await().until(() -> receiver.held() == 0);
  }

  @Test
  void aBodyThatStopsComingIsRefusedHoweverMuchOfItCameAtOnce() throws Exception {
    start(new BodyLimits(100_000, 1_000_000, Duration.ofMillis(300), 10, HOUR));
    Socket socket = send(post("/", 100_000, "x".repeat(99_000)));
    assertThat(answer(socket, "\r\n\r\n")).contains(" 408 ", "Connection: close");
    await().until(() -> receiver.held() == 0);
  }

  @Test
  void aBodyThatTakesLongerThanAnyMayIsRefused() throws Exception {
    start(new BodyLimits(1_000, 10_000, Duration.ofHours(1), 1, Duration.ofMillis(300)));
    Socket socket = send(post("/", 1_000, "x".repeat(999)));
    assertThat(answer(socket, "\r\n\r\n")).contains(" 408 ", "Connection: close");
    await().until(() -> receiver.held() == 0);
  }

  @Test
  void aBodyThatIsTooLargeIsRejectedAlsoWithoutAContentLength() throws Exception {
    start(new BodyLimits(10, 10_000, Duration.ofMinutes(1), 1, HOUR));
    Socket socket = send(CHUNKED + "b\r\n12345678901\r\n");
    assertThat(answer(socket, "\r\n\r\n")).contains(" 413 ");
    await().until(() -> receiver.held() == 0);
  }

  @Test
  void allBodiesTogetherAreBounded() throws Exception {
    start(new BodyLimits(100, 150, Duration.ofMinutes(1), 1, HOUR));
    send(post("/", 100, "x".repeat(90)));
    await().until(() -> receiver.held() == 90);
    assertThat(answer(send(post("/", 100, "y".repeat(90))), "\r\n\r\n"))
        .contains(" 503 ", "Retry-After: 1");
    assertThat(receiver.held()).isEqualTo(90);
    server.connections().get(0).close();
    await().until(() -> receiver.held() == 0);
  }

  private Socket sendPart(String caller, int bytes) throws IOException {
    return send(
        "POST / HTTP/1.1\r\nHost: localhost\r\n%s\r\nContent-Length: 100\r\n\r\n%s"
            .formatted(caller, "x".repeat(bytes)));
  }

  @Test
  void oneCallerLeavesRoomForOthers() throws Exception {
    start(new BodyLimits(100, 1_000, HOUR, 1, HOUR));
    for (int i = 1; i <= 3; i++) {
      sendPart("X-Key: greedy", 80);
      int held = 80 * i;
      await().until(() -> receiver.held() == held);
    }
    // One caller may use a quarter of 1,000.
    assertThat(answer(sendPart("X-Key: greedy", 80), "\r\n\r\n"))
        .contains(" 503 ", "Retry-After: 1");
    assertThat(receiver.held()).isEqualTo(240);
    Socket other = sendPart("X-Key: other", 80);
    await().until(() -> receiver.held() == 320);
    more(other, "y".repeat(20));
    assertThat(answer(other, "y")).contains(" 200 ");
    for (Socket socket : server.connections()) {
      socket.close();
    }
    await().until(() -> receiver.held() == 0);
    assertThat(answer(sendPart("X-Key: greedy", 100), "x")).contains(" 200 ");
  }

  @Test
  void callersWhoseLoginIsNotVerifiedLeaveRoomForOthers() throws Exception {
    start(new BodyLimits(100, 400, HOUR, 1, HOUR));
    sendPart("X-Network: 192.0.2.1", 80);
    await().until(() -> receiver.held() == 80);
    // One body per network, and half of the memory for all networks.
    assertThat(answer(sendPart("X-Network: 192.0.2.1", 80), "\r\n\r\n")).contains(" 503 ");
    sendPart("X-Network: 192.0.2.2", 80);
    await().until(() -> receiver.held() == 160);
    assertThat(answer(sendPart("X-Network: 192.0.2.3", 80), "\r\n\r\n")).contains(" 503 ");
    assertThat(answer(sendPart("X-Key: known", 100), "x")).contains(" 200 ");
  }

  @Test
  void anErrorOfTheHandlerIsAnsweredAndTheBodyForgotten() throws Exception {
    start(BodyLimits.upTo(1_000));
    Socket socket = send(post("/error", 10, "12345"));
    await().until(() -> receiver.held() == 5);
    more(socket, "67890");
    assertThat(answer(socket, "\r\n")).contains(" 500 ");
    await().until(() -> receiver.held() == 0);
  }

  @Test
  void theBodyOfARequestThatIsRefusedAnywayIsNotReceived() throws Exception {
    start(BodyLimits.upTo(1_000));
    send("POST /wait HTTP/1.1\r\nHost: x\r\nX-Unknown: 1\r\nContent-Length: 10\r\n\r\n12345");
    assertThat(answer(send(post("/", 3, "abc")), "abc")).endsWith("abc");
    await().until(() -> receiver.held() == 0);
  }

  @Test
  void theBodyOfARequestThatReadsIsNotReceived() throws Exception {
    start(new BodyLimits(10, 10, Duration.ofHours(1), 1, HOUR));
    Socket socket =
        send("GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n");
    more(socket, "x\r\n0\r\n\r\n");
    assertThat(answer(socket, "\r\n")).contains("200");
    assertThat(receiver.held()).isZero();
  }

  @Test
  void healthIsAnsweredWhileAllOtherThreadsAreBusyAndTheRestWaitsForItsTurn() throws Exception {
    start(BodyLimits.upTo(1_000));
    List<Socket> busy = new ArrayList<>();
    for (int i = 0; i < 3 * HttpTestServer.THREADS; i++) {
      busy.add(send(get("/wait")));
    }
    assertThat(answer(send(get("/health")), "\r\n")).contains("200");
    release.countDown();
    for (Socket each : busy) {
      assertThat(answer(each, "\r\n")).contains("200");
    }
  }
}
