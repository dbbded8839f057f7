package io.asynq4j.cli.settings;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.TlsConfig;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Connection settings from one source: flags, environment variables or the configuration file.
 * Immutable; {@code toString} never contains the password.
 *
 * @param redis a URL in one of the formats of {@link RedisConfig}
 * @param uri a URL or host:port, as in the {@code asynq} command of Go
 * @param clusterAddrs comma-separated host:port addresses of cluster nodes
 * @param tlsServer server name in the TLS certificate
 * @param insecure whether any certificate is accepted
 */
public record ConnectionSettings(
    @Nullable String redis,
    @Nullable String uri,
    @Nullable Integer db,
    @Nullable String username,
    @Nullable String password,
    @Nullable Boolean cluster,
    @Nullable String clusterAddrs,
    @Nullable Boolean tls,
    @Nullable String tlsServer,
    @Nullable Boolean insecure) {

  public static final ConnectionSettings NONE =
      new ConnectionSettings(null, null, null, null, null, null, null, null, null, null);

  private static final String DEFAULT_URI = "127.0.0.1:6379";
  private static final String DEFAULT_CLUSTER =
      "127.0.0.1:7000,127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003,127.0.0.1:7004,127.0.0.1:7005";

  /** A user waits at the terminal, so an unreachable Redis is reported within seconds. */
  private static final Map<String, String> SHORT_TIMEOUTS =
      Map.of("connectTimeout", "2s", "commandTimeout", "3s", "retryFor", "1s");

  /** Reads {@code ASYNQ_REDIS_URL} and the prefixed names of all settings. */
  public static ConnectionSettings ofVariables(Map<String, String> variables) {
    Map<String, Object> found = new LinkedHashMap<>();
    for (ConnectionSetting setting : ConnectionSetting.values()) {
      String name =
          setting == ConnectionSetting.REDIS ? "ASYNQ_REDIS_URL" : "ASYNQ_" + setting.name();
      String value = variables.get(name);
      if (value != null && !value.isEmpty()) {
        found.put(setting.key(), setting.read(value, "the variable " + name));
      }
    }
    return of(found);
  }

  /** Creates settings from values of the right types, by the keys of {@link ConnectionSetting}. */
  static ConnectionSettings of(Map<String, Object> values) {
    return new ConnectionSettings(
        (String) values.get(ConnectionSetting.REDIS.key()),
        (String) values.get(ConnectionSetting.URI.key()),
        (Integer) values.get(ConnectionSetting.DB.key()),
        (String) values.get(ConnectionSetting.USERNAME.key()),
        (String) values.get(ConnectionSetting.PASSWORD.key()),
        (Boolean) values.get(ConnectionSetting.CLUSTER.key()),
        (String) values.get(ConnectionSetting.CLUSTER_ADDRS.key()),
        (Boolean) values.get(ConnectionSetting.TLS.key()),
        (String) values.get(ConnectionSetting.TLS_SERVER.key()),
        (Boolean) values.get(ConnectionSetting.INSECURE.key()));
  }

  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    put(map, ConnectionSetting.REDIS, redis);
    put(map, ConnectionSetting.URI, uri);
    put(map, ConnectionSetting.DB, db);
    put(map, ConnectionSetting.USERNAME, username);
    put(map, ConnectionSetting.PASSWORD, password);
    put(map, ConnectionSetting.CLUSTER, cluster);
    put(map, ConnectionSetting.CLUSTER_ADDRS, clusterAddrs);
    put(map, ConnectionSetting.TLS, tls);
    put(map, ConnectionSetting.TLS_SERVER, tlsServer);
    put(map, ConnectionSetting.INSECURE, insecure);
    return map;
  }

  private static void put(
      Map<String, Object> map, ConnectionSetting setting, @Nullable Object value) {
    if (value != null) {
      map.put(setting.key(), value);
    }
  }

  public boolean isEmpty() {
    return equals(NONE);
  }

  /** Whether the address of Redis is set, not only login or TLS settings. */
  public boolean namesPlace() {
    return redis != null || uri != null || cluster != null || clusterAddrs != null;
  }

  /**
   * Merges with settings of lower precedence. If both have an address, the other ones are ignored
   * entirely, because their password belongs to another Redis.
   */
  public ConnectionSettings orElse(ConnectionSettings other) {
    if (namesPlace() && other.namesPlace()) {
      return this;
    }
    return new ConnectionSettings(
        redis != null ? redis : other.redis,
        uri != null ? uri : other.uri,
        db != null ? db : other.db,
        username != null ? username : other.username,
        password != null ? password : other.password,
        cluster != null ? cluster : other.cluster,
        clusterAddrs != null ? clusterAddrs : other.clusterAddrs,
        tls != null ? tls : other.tls,
        tlsServer != null ? tlsServer : other.tlsServer,
        insecure != null ? insecure : other.insecure);
  }

  /** Throws an {@code IllegalArgumentException} if settings contradict each other. */
  public RedisConfig toConfig() {
    if (redis != null && uri != null) {
      throw new IllegalArgumentException(
          "--redis and --uri contradict each other: remove one of them");
    }
    String place = redis != null ? redis : uri;
    boolean isUrl = place != null && (redis != null || place.contains("://"));
    String url = isUrl ? url(String.valueOf(place)) : urlOf(place);
    // Reports an invalid URL as the user wrote it, without the added timeouts.
    RedisConfig.parse(url);
    RedisConfig.Builder config = RedisConfig.parse(withShortTimeouts(url)).toBuilder();
    if (db != null) {
      config.database(db);
    }
    if (username != null) {
      config.username(username);
    }
    if (password != null) {
      config.password(password);
    }
    RedisConfig built = config.build();
    if (!isTrue(tls) && tlsServer == null && !isTrue(insecure)) {
      return built;
    }
    TlsConfig secured = built.tls().orElse(TlsConfig.defaults());
    if (tlsServer != null) {
      secured = secured.withServerName(tlsServer);
    }
    if (isTrue(insecure)) {
      secured = secured.withoutVerification();
    }
    return config.tls(secured).build();
  }

  private static boolean isTrue(@Nullable Boolean flag) {
    return flag != null && flag;
  }

  private String url(String given) {
    if (isTrue(cluster) && !given.toLowerCase(Locale.ROOT).contains("-cluster://")) {
      throw new IllegalArgumentException(
          "--cluster needs host:port addresses; the URL of a cluster is"
              + " redis-cluster://host:port,host:port");
    }
    return given;
  }

  private String urlOf(@Nullable String address) {
    String scheme = isTrue(tls) ? "rediss" : "redis";
    if (!isTrue(cluster)) {
      return scheme + "://" + (address == null ? DEFAULT_URI : address);
    }
    return scheme + "-cluster://" + (clusterAddrs == null ? DEFAULT_CLUSTER : clusterAddrs);
  }

  private static String withShortTimeouts(String url) {
    StringBuilder extended = new StringBuilder(url);
    SHORT_TIMEOUTS.forEach(
        (name, value) -> {
          if (!Pattern.compile("[?&]" + name + "=").matcher(url).find()) {
            extended.append(extended.indexOf("?") < 0 ? '?' : '&').append(name + "=" + value);
          }
        });
    return extended.toString();
  }

  /** The URL without password. */
  @Override
  public String toString() {
    return RedactedRedisUrl.of(toConfig());
  }
}
