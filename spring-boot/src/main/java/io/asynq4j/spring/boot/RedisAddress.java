package io.asynq4j.spring.boot;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConfig.Endpoint;
import io.asynq4j.redis.TlsConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** Converts addresses of Spring Boot, whose classes differ between its versions. */
final class RedisAddress {

  private final RedisConfig.Builder config = RedisConfig.builder();

  RedisAddress standalone(String host, int port, int database) {
    config.standalone(host, port).database(database);
    return this;
  }

  RedisAddress sentinel(
      @Nullable String master,
      List<Endpoint> nodes,
      int database,
      @Nullable String username,
      @Nullable String password) {
    if (master == null) {
      throw new InvalidAsynqSettingException(
          "Redis has sentinels, but the name of its primary is missing",
          "set spring.data.redis.sentinel.master");
    }
    config
        .sentinel(master, nodes.toArray(Endpoint[]::new))
        .database(database)
        .sentinelUsername(username)
        .sentinelPassword(password);
    return this;
  }

  RedisAddress cluster(List<Endpoint> nodes) {
    config.cluster(nodes.toArray(Endpoint[]::new));
    return this;
  }

  RedisAddress login(@Nullable String username, @Nullable String password) {
    config.username(username).password(password);
    return this;
  }

  RedisAddress ssl(@Nullable SslBundle bundle) {
    if (bundle != null) {
      config.tls(tls(bundle));
    }
    return this;
  }

  /** Addresses of IPv6 may be in brackets, as in a URL. */
  static Endpoint endpoint(String host, int port) {
    return new Endpoint(host.replaceAll("^\\[|]$", ""), port);
  }

  RedisConfig.Builder config() {
    return config;
  }

  /**
   * Ciphers and protocols of a bundle cannot be kept, so a bundle that restricts them is refused.
   */
  static TlsConfig tls(SslBundle bundle) {
    if (bundle.getOptions().isSpecified()) {
      throw new InvalidAsynqSettingException(
          "the SSL bundle of the connection to Redis restricts ciphers or protocols, which asynq4j does not support",
          "use a bundle without options, or restrict them for the JVM with jdk.tls.client.protocols");
    }
    return TlsConfig.defaults().withContext(bundle.createSslContext());
  }
}
