package io.asynq4j.cli.dev;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.redis.RedisConnection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Dashboard of the development server, unless it is disabled. */
final class DevDashboard implements AutoCloseable {

  private static final int USUAL_PORT = 8080;

  private final @Nullable Dashboard dashboard;

  private DevDashboard(@Nullable Dashboard dashboard) {
    this.dashboard = dashboard;
  }

  /**
   * @param port null for the default port if it is free, else any free port
   */
  static DevDashboard start(RedisConnection redis, boolean wanted, @Nullable Integer port) {
    if (!wanted) {
      return new DevDashboard(null);
    }
    try {
      return new DevDashboard(listen(redis, port == null ? USUAL_PORT : port));
    } catch (IllegalStateException e) {
      if (port != null) {
        throw CliException.failed(
            String.valueOf(e.getMessage()), "Use --dashboard-port 0 for any free port.");
      }
      return new DevDashboard(listen(redis, 0));
    }
  }

  private static Dashboard listen(RedisConnection redis, int port) {
    return Dashboard.builder(redis).title("asynq dev").port(port).start();
  }

  Optional<String> address() {
    return Optional.ofNullable(dashboard).map(running -> running.uri().toString());
  }

  @Override
  public void close() {
    if (dashboard != null) {
      dashboard.close();
    }
  }
}
