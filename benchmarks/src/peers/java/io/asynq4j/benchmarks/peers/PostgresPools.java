package io.asynq4j.benchmarks.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Connection pools for PostgreSQL. */
final class PostgresPools {

  /** Two cores with a local database do not benefit from more. */
  static final int CONNECTIONS = 20;

  /** Database that every PostgreSQL has. */
  static final String FIRST = "postgres";

  private static final String ALREADY_THERE = "42P04";

  private PostgresPools() {}

  /**
   * Creates a pool for a database, and the database if it does not exist.
   *
   * @param uri address with any scheme; it may be that of a proxy
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
