package io.asynq4j.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Requests that no client library would send. */
public final class RawHttp {

  private RawHttp() {}

  /** Opens a connection to the newest replica, with a read timeout of 30 seconds. */
  static Socket open(ServiceFixture fixture) throws IOException {
    Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), URI.create(fixture.url()).getPort());
    socket.setSoTimeout(30_000);
    return socket;
  }

  /** The same for a caller that does not read, with a small receive buffer. */
  public static Socket openSlow(int port) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(1_024);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }

  public static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** The status of the next response; fails if the connection ends before it. */
  public static int status(Socket socket) throws IOException {
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    String first = lines.readLine();
    if (first == null) {
      throw new IOException("the connection was closed without an answer");
    }
    return Integer.parseInt(first.split(" ", 3)[1]);
  }

  /** Sends a request without a body. */
  public static int status(ServiceFixture fixture, String requestLine) throws IOException {
    try (Socket socket = open(fixture)) {
      send(socket, requestLine + "\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
      return status(socket);
    }
  }
}
