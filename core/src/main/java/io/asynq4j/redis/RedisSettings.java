package io.asynq4j.redis;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.time.TimeMath.requireBetween;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.redis.RedisConfig.Endpoint;
import io.asynq4j.redis.RedisConfig.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of a {@link RedisConfig} with their defaults and checks. A builder changes its own
 * instance; the instance of a configuration never changes. Not thread-safe while it changes.
 */
final class RedisSettings implements Cloneable {

  static final String SECRET = "***";

  /** Sockets take their timeouts as a number of milliseconds in an int. */
  private static final Duration MAX_DURATION = Duration.ofMillis(Integer.MAX_VALUE);

  Kind kind = Kind.STANDALONE;
  List<Endpoint> endpoints = List.of(new Endpoint("localhost", 6379));
  @Nullable Path socketPath;
  @Nullable String masterName;
  @Nullable String username;
  @Nullable String password;
  @Nullable String sentinelUsername;
  @Nullable String sentinelPassword;
  int database;
  @Nullable TlsConfig tls;
  Duration connectTimeout = Duration.ofSeconds(5);
  Duration commandTimeout = Duration.ofSeconds(3);
  Duration retryFor = Duration.ofSeconds(2);
  boolean numberedEnqueue = true;
  int maxConnections = Math.max(16, 8 * Runtime.getRuntime().availableProcessors());
  String clientName = "asynq4j";
  PayloadCodec codec = PayloadCodec.json();

  RedisSettings copy() {
    try {
      return (RedisSettings) super.clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Throws an {@link IllegalArgumentException} if values contradict each other or are out of range.
   */
  void check() {
    require(
        kind != Kind.SOCKET
            || (socketPath != null
                && socketPath.getNameCount() > 0
                && !socketPath.toString().isEmpty()),
        "The path of the socket is missing: set the value of 'unixsocket' in the"
            + " configuration of Redis");
    require(
        kind != Kind.SENTINEL || !endpoints.isEmpty(),
        "The sentinels are missing: set at least one");
    require(
        kind != Kind.SENTINEL || (masterName != null && !masterName.isBlank()),
        "The master name is missing, which sentinels require: set the name in 'sentinel"
            + " monitor <name>' of their configuration");
    require(
        kind != Kind.CLUSTER || !endpoints.isEmpty(),
        "The hosts of the cluster are missing: set at least one");
    requireNotEmpty("username", username);
    requireNotEmpty("password", password);
    requireNotEmpty("sentinel username", sentinelUsername);
    requireNotEmpty("sentinel password", sentinelPassword);
    require(
        kind == Kind.SENTINEL || (sentinelUsername == null && sentinelPassword == null),
        "Sentinel credentials are set without sentinels: use username and password");
    require(database >= 0, "database must be 0 or greater, got " + database);
    require(
        kind != Kind.CLUSTER || database == 0,
        "database must be 0 in a Redis Cluster, got " + database);
    require(
        kind != Kind.SOCKET || tls == null,
        "TLS is not possible on a Unix socket, which never leaves the machine: remove it");
    requireBetween("connectTimeout", connectTimeout, Duration.ofMillis(1), MAX_DURATION);
    requireBetween("commandTimeout", commandTimeout, Duration.ofMillis(1), MAX_DURATION);
    requireBetween("retryFor (0s disables retries)", retryFor, Duration.ZERO, MAX_DURATION);
    require(maxConnections >= 1, "maxConnections must be 1 or greater, got " + maxConnections);
    require(
        !clientName.isEmpty() && clientName.chars().allMatch(c -> c > ' ' && c <= '~'),
        "The client name '"
            + clientName
            + "' is not valid in Redis: use printable ASCII characters without spaces");
  }

  private static void requireNotEmpty(String name, @Nullable String value) {
    require(
        value == null || !value.isEmpty(), "The " + name + " is empty: remove it if there is none");
  }

  /** Returns all values by name. Two configurations are equal if these are. */
  Map<String, @Nullable Object> values() {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("kind", kind);
    values.put("endpoints", endpoints.isEmpty() ? null : endpoints);
    values.put("socketPath", socketPath);
    values.put("masterName", masterName);
    values.put("username", username);
    values.put("password", password);
    values.put("sentinelUsername", sentinelUsername);
    values.put("sentinelPassword", sentinelPassword);
    values.put("database", database);
    values.put("tls", tls);
    values.put("connectTimeout", connectTimeout);
    values.put("commandTimeout", commandTimeout);
    values.put("retryFor", retryFor);
    values.put("numberedEnqueue", numberedEnqueue);
    values.put("maxConnections", maxConnections);
    values.put("clientName", clientName);
    values.put("codec", codec);
    return values;
  }

  /** Returns the values without passwords. */
  @Override
  public String toString() {
    Map<String, @Nullable Object> shown = values();
    shown.values().removeIf(value -> value == null);
    shown.computeIfPresent("password", (name, value) -> SECRET);
    shown.computeIfPresent("sentinelPassword", (name, value) -> SECRET);
    shown.remove("codec");
    return shown.toString();
  }
}
