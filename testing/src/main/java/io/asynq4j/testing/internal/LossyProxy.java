package io.asynq4j.testing.internal;

import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConfig.Endpoint;
import io.asynq4j.testing.Fault;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;

/**
 * A proxy for one connection to Redis. It forwards everything, except the reply to an enqueue: then
 * it closes the connection, after Redis has replied.
 */
final class LossyProxy {

  private static final List<String> ENQUEUES =
      List.of(text(Script.ENQUEUE), text(Script.SCHEDULE), text(Script.GROUP));

  private final Socket client;
  private final Socket redis;
  private final Faults faults;

  /** What the client has sent since the last reply. */
  private final ByteArrayOutputStream request = new ByteArrayOutputStream();

  private LossyProxy(Socket client, Socket redis, Faults faults) {
    this.client = client;
    this.redis = redis;
    this.faults = faults;
  }

  private static String text(Script script) {
    return new String(script.source(), StandardCharsets.UTF_8);
  }

  /** Opens a connection through a new proxy; both end with the connection. */
  static Connection connect(RedisConfig config, Faults faults) {
    Endpoint target = config.endpoints().get(0);
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try {
      ServerSocket server = new ServerSocket(0, 1, loopback);
      start("asynq4j-testing-accept", () -> accept(server, target, faults));
      return RawRedis.connect(new HostAndPort(loopback.getHostAddress(), server.getLocalPort()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void accept(ServerSocket server, Endpoint target, Faults faults) {
    // Only now: closing it earlier would reset a connection that was not accepted yet.
    try (server) {
      Socket client = server.accept();
      Socket redis = new Socket(target.host(), target.port());
      LossyProxy proxy = new LossyProxy(client, redis, faults);
      start("asynq4j-testing-requests", proxy::forwardRequests);
      start("asynq4j-testing-replies", proxy::forwardReplies);
    } catch (IOException e) {
      // The client gets the same: a broken connection.
    }
  }

  private static void start(String name, Runnable action) {
    Thread thread = new Thread(action, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void forwardRequests() {
    byte[] buffer = new byte[1 << 16];
    try (client;
        redis) {
      InputStream in = client.getInputStream();
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        synchronized (request) {
          request.write(buffer, 0, n);
        }
        redis.getOutputStream().write(buffer, 0, n);
      }
    } catch (IOException e) {
      // Closed by the other direction.
    }
  }

  private void forwardReplies() {
    byte[] buffer = new byte[1 << 16];
    try (client;
        redis) {
      InputStream in = redis.getInputStream();
      for (int n = in.read(buffer); n > 0 && !isLost(); n = in.read(buffer)) {
        client.getOutputStream().write(buffer, 0, n);
      }
    } catch (IOException e) {
      // Closed by the other direction.
    }
  }

  private boolean isLost() {
    String sent;
    synchronized (request) {
      sent = request.toString(StandardCharsets.UTF_8);
      request.reset();
    }
    return ENQUEUES.stream().anyMatch(sent::contains) && faults.take(Fault.REPLY_LOST);
  }
}
