package io.asynq4j.embedded;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds ports on which no process listens at the moment. */
final class FreePort {

  // Below the range from which Linux and macOS take the ports of outgoing connections, so that none
  // of those occupies a server's port when the server restarts. The port of the cluster bus, which
  // is 10000 higher, is below that range too.
  private static final int FIRST = 10_240;
  private static final int LAST = 20_239;
  private static final int BUS_OFFSET = 10_000;
  private static final int ATTEMPTS = 1_000;

  private FreePort() {}

  static int find(boolean withClusterBus) {
    for (int i = 0; i < ATTEMPTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
      if (isFree(port) && (!withClusterBus || isFree(port + BUS_OFFSET))) {
        return port;
      }
    }
    throw new EmbeddedRedisException("No free port between " + FIRST + " and " + LAST);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(EmbeddedRedis.address(port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
