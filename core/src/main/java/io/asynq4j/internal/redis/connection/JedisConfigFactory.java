package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.TlsConfig;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisProtocol;

/** Translates a {@link RedisConfig} into Jedis configuration. */
final class JedisConfigFactory {

  private JedisConfigFactory() {}

  /** Configuration of connections to the servers with the data. */
  static JedisClientConfig forData(RedisConfig config) {
    return client(config, config.username(), config.password()).database(config.database()).build();
  }

  /** Configuration of connections to the sentinels, which have separate users and no databases. */
  static JedisClientConfig forSentinels(RedisConfig config) {
    return client(config, config.sentinelUsername(), config.sentinelPassword()).build();
  }

  /** Returns the endpoints in order: the server, the sentinels or the seeds of the cluster. */
  static Set<HostAndPort> hostsAndPorts(RedisConfig config) {
    return config.endpoints().stream()
        .map(endpoint -> new HostAndPort(endpoint.host(), endpoint.port()))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  static GenericObjectPoolConfig<Connection> forPool(RedisConfig config) {
    GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
    pool.setMaxTotal(config.maxConnections());
    // A smaller number would continually close and open connections under changing load.
    pool.setMaxIdle(config.maxConnections());
    pool.setMaxWait(config.commandTimeout());
    pool.setJmxEnabled(false);
    return pool;
  }

  private static DefaultJedisClientConfig.Builder client(
      RedisConfig config, Optional<String> username, Optional<String> password) {
    DefaultJedisClientConfig.Builder client =
        DefaultJedisClientConfig.builder()
            // By default Jedis 8 negotiates RESP3 while 6 and 7 use RESP2, and the replies differ
            // in shape. Every user may run the HELLO that this requires, whatever its ACL.
            .protocol(RedisProtocol.RESP2)
            .connectionTimeoutMillis(millis(config.connectTimeout()))
            .socketTimeoutMillis(millis(config.commandTimeout()))
            .blockingSocketTimeoutMillis(millis(ChannelSubscription.SILENCE))
            // Jedis ignores the refusal if the user may not run CLIENT.
            .clientName(config.clientName())
            .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
    username.ifPresent(client::user);
    // Jedis ignores a user without password, and would connect as the default user instead.
    password.or(() -> username.map(user -> "")).ifPresent(client::password);
    config.tls().ifPresent(tls -> encrypt(client, tls));
    return client;
  }

  // The SslOptions that Jedis recommends instead read the stores again for each connection.
  @SuppressWarnings("deprecation")
  private static void encrypt(DefaultJedisClientConfig.Builder client, TlsConfig tls) {
    TlsContext context = new TlsContext(tls);
    client.ssl(true).sslSocketFactory(context.socketFactory()).sslParameters(context.parameters());
  }

  private static int millis(Duration timeout) {
    return Math.toIntExact(timeout.toMillis());
  }
}
