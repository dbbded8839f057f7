package io.asynq4j.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A Jetty server with few threads and small buffers, and connections to it that a test reads and
 * writes itself.
 */
final class HttpTestServer {

  static final int THREADS = 30;

  private final Server server = new Server(new QueuedThreadPool(THREADS));
  private final ServerConnector connector = new ServerConnector(server, 1, 1);
  private final List<Socket> sockets = new ArrayList<>();

  HttpTestServer(Handler handler) throws Exception {
    connector.setHost("127.0.0.1");
    connector.setAcceptedSendBufferSize(4_096);
    server.addConnector(connector);
    server.setHandler(handler);
    server.start();
  }

  /** Returns a budget of all threads but the reserved ones, from which /health is exempt. */
  static ThreadBudget budget(Handler next) {
    return new ThreadBudget(
        next,
        THREADS - ThreadBudget.RESERVED,
        request -> Request.getPathInContext(request).equals("/health"));
  }

  /** Opens a connection with the default receive buffer. */
  Socket connect() throws IOException {
    return connect(new Socket());
  }

  /** Opens a connection with a receive buffer of this size. */
  Socket connect(int receiveBuffer) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(receiveBuffer);
    return connect(socket);
  }

  private Socket connect(Socket socket) throws IOException {
    sockets.add(socket);
    socket.setSoTimeout(60_000);
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort()));
    return socket;
  }

  /** Returns the connections in the order in which they were opened. */
  List<Socket> connections() {
    return List.copyOf(sockets);
  }

  /** Stops the server and closes the connections. */
  void stop() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.stop();
  }
}
