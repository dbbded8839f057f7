package io.asynq4j.benchmarks.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;

/** Pools of connections to PostgreSQL. */
final class Databases {

  /** Two cores and a database on them have no use for more. */
  static final int CONNECTIONS = 20;

  private Databases() {}

  /**
   * A pool.
   *
   * @param uri whatever scheme it has: a proxy may stand in between
   */
  static HikariDataSource open(String uri, String schema) {
    URI address = URI.create(uri);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        "jdbc:postgresql://%s:%d/postgres?currentSchema=%s&reWriteBatchedInserts=true"
            .formatted(address.getHost(), address.getPort(), schema));
    config.setUsername("postgres");
    config.setMaximumPoolSize(CONNECTIONS);
    // The database may still be starting.
    config.setInitializationFailTimeout(20_000);
    return new HikariDataSource(config);
  }
}
