package io.asynq4j.benchmarks.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Blocking HTTP client with one connection. It does as little as possible, because CPU time of the
 * load program is not available to what it measures. Not thread-safe.
 */
public final class BlockingHttpClient implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 30_000;

  private final String host;
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private byte[] buffer = new byte[64 << 10];
  private int filled;

  public BlockingHttpClient(URI server) throws IOException {
    this.host = server.getHost() + ":" + server.getPort();
    this.socket = new Socket(server.getHost(), server.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    this.in = socket.getInputStream();
    this.out = socket.getOutputStream();
  }

  /** Body of the response, which must have status 200 and a Content-Length. */
  public String post(String path, String type, String body) throws IOException {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String head = "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n";
    byte[] begin =
        head.formatted(path, host, type, content.length).getBytes(StandardCharsets.US_ASCII);
    byte[] request = new byte[begin.length + content.length];
    System.arraycopy(begin, 0, request, 0, begin.length);
    System.arraycopy(content, 0, request, begin.length, content.length);
    out.write(request);
    return answer(path);
  }

  private String answer(String path) throws IOException {
    filled = 0;
    int end;
    do {
      fill();
      end = endOfHead();
    } while (end < 0);
    String head = new String(buffer, 0, end, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
    if (!head.startsWith("http/1.1 200 ")) {
      throw new IllegalStateException(path + " answered " + head.lines().findFirst().orElse(""));
    }
    int at = head.indexOf("content-length:") + "content-length:".length();
    int length = Integer.parseInt(head.substring(at, head.indexOf('\r', at)).strip());
    while (filled < end + length) {
      fill();
    }
    return new String(buffer, end, length, StandardCharsets.UTF_8);
  }

  /** Offset of the body; -1 if the head is incomplete. */
  private int endOfHead() {
    for (int i = 3; i < filled; i++) {
      if (buffer[i] == '\n' && buffer[i - 2] == '\n' && buffer[i - 1] == '\r') {
        return i + 1;
      }
    }
    return -1;
  }

  private void fill() throws IOException {
    if (filled == buffer.length) {
      byte[] larger = new byte[2 * buffer.length];
      System.arraycopy(buffer, 0, larger, 0, filled);
      buffer = larger;
    }
    int read = in.read(buffer, filled, buffer.length - filled);
    if (read < 0) {
      throw new IOException("the service closed the connection");
    }
    filled += read;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
