package io.asynq4j.server;

import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import java.net.InetAddress;
import java.net.Socket;

/**
 * A server whose handlers report to a port: a connection is open for as long as a handler runs, and
 * breaks when the process is killed. Started by {@link FleetLimitIT}.
 */
final class FleetLimitMain {

  private FleetLimitMain() {}

  public static void main(String[] arguments) {
    int port = Integer.parseInt(arguments[1]);
    int limit = Integer.parseInt(arguments[2]);
    try (RedisConnection redis = RedisConnection.open(arguments[0])) {
      ServerFixture.quick(
              redis,
              (task, context) -> {
                try (Socket report = new Socket(InetAddress.getLoopbackAddress(), port)) {
                  // Answered once it is counted, at the beginning and at the end.
                  report.getInputStream().read();
                  // So that handlers overlap.
                  Thread.sleep(5);
                  report.getOutputStream().write(1);
                  report.getInputStream().read();
                }
                return Outcome.done();
              })
          .concurrency(10)
          .queue("default", q -> q.maxActive(limit))
          .build()
          .run();
    }
  }
}
