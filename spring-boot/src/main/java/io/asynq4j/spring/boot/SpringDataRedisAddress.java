package io.asynq4j.spring.boot;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConfig.Endpoint;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/** Reads {@code spring.data.redis.*} for applications without Spring Data Redis. */
record SpringDataRedisAddress(
    @Nullable String url,
    @DefaultValue("localhost") String host,
    @DefaultValue("6379") int port,
    @DefaultValue("0") int database,
    @Nullable String username,
    @Nullable String password,
    @Nullable Duration timeout,
    @Nullable Duration connectTimeout,
    @Nullable String clientName,
    @Nullable Sentinel sentinel,
    @Nullable Cluster cluster,
    @DefaultValue Ssl ssl) {

  private static final String PREFIX = "spring.data.redis";

  record Sentinel(
      @Nullable String master,
      @DefaultValue List<String> nodes,
      @Nullable String username,
      @Nullable String password) {}

  record Cluster(@DefaultValue List<String> nodes) {}

  record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {}

  /** Returns the properties; empty if none is set. */
  static Optional<SpringDataRedisAddress> of(Environment environment) {
    return Binder.get(environment)
        .bind(PREFIX, SpringDataRedisAddress.class)
        .map(Optional::of)
        .orElse(Optional.empty());
  }

  RedisConfig.Builder config(SslBundles bundles) {
    if (url != null) {
      RedisConfig.Builder config = parse(url).toBuilder();
      if (ssl.bundle() != null) {
        config.tls(RedisAddress.tls(bundles.getBundle(ssl.bundle())));
      }
      return config;
    }
    RedisAddress address = new RedisAddress();
    if (sentinel != null) {
      List<Endpoint> nodes = endpoints("sentinel.nodes", sentinel.nodes());
      address.sentinel(
          sentinel.master(), nodes, database, sentinel.username(), sentinel.password());
    } else if (cluster != null) {
      address.cluster(endpoints("cluster.nodes", cluster.nodes()));
    } else {
      address.standalone(host, port, database);
    }
    return address.login(username, password).ssl(bundle(bundles)).config();
  }

  /**
   * Applies what the connection details of Spring Boot do not have: timeouts, the name, and the TLS
   * of a URL.
   */
  void complete(RedisConfig.Builder config) {
    RedisConfig found = config.build();
    if (url != null && found.tls().isEmpty()) {
      RedisConfig ofUrl = parse(url);
      if (ofUrl.endpoints().equals(found.endpoints())) {
        ofUrl.tls().ifPresent(config::tls);
      }
    }
    if (timeout != null) {
      config.commandTimeout(timeout);
    }
    if (connectTimeout != null) {
      config.connectTimeout(connectTimeout);
    }
    if (clientName != null) {
      config.clientName(clientName);
    }
  }

  private static RedisConfig parse(String url) {
    try {
      return RedisConfig.parse(url);
    } catch (IllegalArgumentException e) {
      throw new InvalidAsynqSettingException(
          "spring.data.redis.url cannot be used: " + e.getMessage(), "correct it");
    }
  }

  private @Nullable SslBundle bundle(SslBundles bundles) {
    if (Boolean.FALSE.equals(ssl.enabled())) {
      return null;
    }
    if (ssl.bundle() != null) {
      return bundles.getBundle(ssl.bundle());
    }
    return ssl.enabled() == null ? null : SslBundle.systemDefault();
  }

  private static List<Endpoint> endpoints(String property, List<String> nodes) {
    return nodes.stream().map(node -> endpoint(property, node)).toList();
  }

  private static Endpoint endpoint(String property, String node) {
    int colon = node.lastIndexOf(':');
    try {
      return RedisAddress.endpoint(
          node.substring(0, colon), Integer.parseInt(node.substring(colon + 1)));
    } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) {
      throw new InvalidAsynqSettingException(
          "an entry of %s.%s is not a host and a port".formatted(PREFIX, property),
          "write it as host:port, such as redis-1.example.com:6379");
    }
  }
}
