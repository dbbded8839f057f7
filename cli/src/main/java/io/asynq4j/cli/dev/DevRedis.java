package io.asynq4j.cli.dev;

import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedRedisException;
import io.asynq4j.embedded.RedisBinary;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Redis that {@code asynq dev} starts. */
record DevRedis(EmbeddedRedis server, String about) implements AutoCloseable {

  private static final int USUAL_PORT = 6379;

  /**
   * @param port null for the default port if it is free, else any free port
   * @param data null to keep no data
   */
  static DevRedis start(@Nullable Integer port, @Nullable Path data) {
    Optional<RedisBinary> installed =
        RedisBinary.onPath("redis-server").filter(DevRedis::isNewEnough);
    if (installed.isEmpty()) {
      installed = RedisBinary.onPath("valkey-server").filter(DevRedis::isNewEnough);
    }
    EmbeddedRedis.Builder builder = EmbeddedRedis.builder().port(port == null ? usual() : port);
    installed.ifPresent(builder::binary);
    if (data != null) {
      builder.dataDirectory(data);
    }
    EmbeddedRedis server = builder.start();
    return new DevRedis(
        server,
        (installed.isPresent() ? installed.get().toString() : "bundled")
            + (data == null ? ", keeps no data" : ", data in " + data));
  }

  private static int usual() {
    try (ServerSocket probe = new ServerSocket(USUAL_PORT, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    } catch (IOException e) {
      return 0;
    }
  }

  private static boolean isNewEnough(RedisBinary binary) {
    try {
      String[] version = binary.version().split("\\.", -1);
      int major = Integer.parseInt(version[0]);
      return major > 6 || (major == 6 && Integer.parseInt(version[1]) >= 2);
    } catch (EmbeddedRedisException e) {
      // The version is unknown: use the bundled one.
      return false;
    }
  }

  String uri() {
    return server.uri();
  }

  @Override
  public void close() {
    server.close();
  }
}
