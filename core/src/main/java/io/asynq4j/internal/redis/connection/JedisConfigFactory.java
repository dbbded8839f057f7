package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.TlsConfig;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisProtocol;

/** Says in Jedis's terms what a {@link RedisConfig} says. */
final class JedisConfigFactory {

  private JedisConfigFactory() {}

  /** For connections to the servers that hold the data. */
  static JedisClientConfig forData(RedisConfig config) {
    return client(config, config.username(), config.password()).database(config.database()).build();
  }

  /** For connections to the sentinels, which have users of their own and no databases. */
  static JedisClientConfig forSentinels(RedisConfig config) {
    return client(config, config.sentinelUsername(), config.sentinelPassword()).build();
  }

  /** The endpoints in their order: the server, the sentinels or the seeds of the cluster. */
  static Set<HostAndPort> hostsAndPorts(RedisConfig config) {
    Set<HostAndPort> result = new LinkedHashSet<>();
    for (RedisConfig.Endpoint endpoint : config.endpoints()) {
      result.add(new HostAndPort(endpoint.host(), endpoint.port()));
    }
    return result;
  }

  static GenericObjectPoolConfig<Connection> forPool(RedisConfig config) {
    GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
    pool.setMaxTotal(config.maxConnections());
    // A smaller number would close and open connections all the time under changing load.
    pool.setMaxIdle(config.maxConnections());
    pool.setLifo(true);
    pool.setTestOnBorrow(false);
    pool.setMaxWait(config.commandTimeout());
    pool.setJmxEnabled(false);
    return pool;
  }

  private static DefaultJedisClientConfig.Builder client(
      RedisConfig config, Optional<String> username, Optional<String> password) {
    DefaultJedisClientConfig.Builder client =
        DefaultJedisClientConfig.builder()
            // Left open, Jedis 8 negotiates RESP3 while 6 and 7 speak RESP2, and replies differ in
            // shape. The HELLO that this costs is allowed to every user, whatever its ACL.
            .protocol(RedisProtocol.RESP2)
            .connectionTimeoutMillis(millis(config.connectTimeout()))
            .socketTimeoutMillis(millis(config.commandTimeout()))
            .blockingSocketTimeoutMillis(millis(ChannelSubscription.SILENCE))
            // Jedis passes over the refusal when the user must not run CLIENT.
            .clientName(config.clientName())
            .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
    username.ifPresent(client::user);
    // Jedis forgets a user that has no password, and would work as the default user instead.
    password.or(() -> username.map(user -> "")).ifPresent(client::password);
    config.tls().ifPresent(tls -> encrypt(client, tls));
    return client;
  }

  // The SslOptions that Jedis recommends instead read the stores anew for each connection.
  @SuppressWarnings("deprecation")
  private static void encrypt(DefaultJedisClientConfig.Builder client, TlsConfig tls) {
    TlsContext context = new TlsContext(tls);
    client.ssl(true).sslSocketFactory(context.socketFactory()).sslParameters(context.parameters());
  }

  private static int millis(Duration timeout) {
    return Math.toIntExact(timeout.toMillis());
  }
}
