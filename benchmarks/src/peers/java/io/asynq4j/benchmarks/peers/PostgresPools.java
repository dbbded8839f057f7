package io.asynq4j.benchmarks.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Pools of connections to PostgreSQL. */
final class PostgresPools {

  /** Two cores and a database on them have no use for more. */
  static final int CONNECTIONS = 20;

  /** The one that every PostgreSQL has. */
  static final String FIRST = "postgres";

  private static final String ALREADY_THERE = "42P04";

  private PostgresPools() {}

  /**
   * A pool for a database, which is made if it is not there.
   *
   * @param uri whatever scheme it has: a proxy may stand in between
   */
  static HikariDataSource open(String uri, String database) {
    if (!database.equals(FIRST)) {
      try (HikariDataSource first = open(uri, FIRST)) {
        execute(first, "create database \"" + database + '"');
      } catch (SQLException e) {
        if (!ALREADY_THERE.equals(e.getSQLState())) {
          throw new IllegalStateException(e);
        }
      }
    }
    URI address = URI.create(uri);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        "jdbc:postgresql://%s:%d/%s?reWriteBatchedInserts=true"
            .formatted(address.getHost(), address.getPort(), database));
    config.setUsername("postgres");
    config.setMaximumPoolSize(CONNECTIONS);
    // The database may still be starting.
    config.setInitializationFailTimeout(20_000);
    return new HikariDataSource(config);
  }

  static void execute(HikariDataSource database, String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
