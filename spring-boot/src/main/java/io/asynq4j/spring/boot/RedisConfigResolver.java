package io.asynq4j.spring.boot;

import io.asynq4j.BrokerException;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * Finds Redis: the embedded one, {@code asynq4j.redis.url}, a service connection, or {@code
 * spring.data.redis.*}, in this order. Messages never contain a password.
 */
final class RedisConfigResolver {

  private static final Logger log = LoggerFactory.getLogger(RedisConfigResolver.class);

  /** A bean with the connection of Spring Boot. */
  @FunctionalInterface
  interface ServiceConnection {

    RedisConfig.Builder address();
  }

  /** A bean with the address of the embedded Redis. Exists only if it was started. */
  @FunctionalInterface
  interface Embedded {

    String uri();
  }

  private final AsynqProperties properties;
  private final Environment environment;
  private final ObjectProvider<Embedded> embedded;
  private final ObjectProvider<ServiceConnection> serviceConnection;
  private final ObjectProvider<SslBundles> bundles;

  RedisConfigResolver(
      AsynqProperties properties,
      Environment environment,
      ObjectProvider<Embedded> embedded,
      ObjectProvider<ServiceConnection> serviceConnection,
      ObjectProvider<SslBundles> bundles) {
    this.properties = properties;
    this.environment = environment;
    this.embedded = embedded;
    this.serviceConnection = serviceConnection;
    this.bundles = bundles;
  }

  RedisConnection open(PayloadCodec codec, ObjectProvider<RedisConfigCustomizer> customizers) {
    RedisConfig config = config(codec, customizers);
    log.info("tasks use the Redis at {}", text(config));
    if (!properties.redis().checkAtStart()) {
      return RedisConnection.lazy(config);
    }
    try {
      return RedisConnection.open(config);
    } catch (BrokerException e) {
      throw new InvalidAsynqSettingException(
          "Redis cannot be used at the start: " + e.getMessage(),
          "correct this, or leave out asynq4j.redis.check-at-start to connect when Redis is there",
          e);
    }
  }

  /** The address without passwords. */
  private static String text(RedisConfig config) {
    return config.socketPath().map(Object::toString).orElseGet(() -> config.endpoints().toString());
  }

  private RedisConfig config(
      PayloadCodec codec, ObjectProvider<RedisConfigCustomizer> customizers) {
    try {
      RedisConfig.Builder config = address();
      applySettings(config.codec(codec));
      customizers.orderedStream().forEach(customizer -> customizer.customize(config));
      return config.build();
    } catch (IllegalArgumentException e) {
      throw new InvalidAsynqSettingException(
          "the connection to Redis has an invalid setting: " + e.getMessage(),
          "correct the property under asynq4j.redis, spring.data.redis or the RedisConfigCustomizer");
    } catch (NoSuchSslBundleException e) {
      throw new InvalidAsynqSettingException(
          "the connection to Redis needs the SSL bundle \"%s\", which does not exist"
              .formatted(e.getBundleName()),
          "define it under spring.ssl.bundle, or correct asynq4j.redis.ssl-bundle");
    }
  }

  private RedisConfig.Builder address() {
    String url = properties.redis().url();
    Embedded started = embedded.getIfAvailable();
    if (started != null) {
      if (url != null) {
        log.info("asynq4j.embedded is true, so asynq4j.redis.url is not used");
      }
      return parse(started.uri()).toBuilder();
    }
    if (url != null) {
      return parse(url).toBuilder();
    }
    Optional<SpringDataRedisAddress> springData = SpringDataRedisAddress.of(environment);
    ServiceConnection source = serviceConnection.getIfAvailable();
    RedisConfig.Builder config;
    if (source != null) {
      config = source.address();
    } else {
      config =
          springData
              .orElseThrow(
                  () ->
                      new InvalidAsynqSettingException(
                          "no Redis is configured for tasks, so they can neither be enqueued nor processed",
                          "set asynq4j.redis.url, such as redis://localhost:6379; or spring.data.redis.*; or"
                              + " asynq4j.embedded=true for development, with asynq4j-embedded on the class path"))
              .config(bundles.getObject());
    }
    springData.ifPresent(settings -> settings.complete(config));
    return config;
  }

  private static RedisConfig parse(String url) {
    try {
      return RedisConfig.parse(url);
    } catch (IllegalArgumentException e) {
      throw new InvalidAsynqSettingException(
          "asynq4j.redis.url cannot be used: " + e.getMessage(), "correct it");
    }
  }

  private void applySettings(RedisConfig.Builder config) {
    AsynqProperties.Redis redis = properties.redis();
    set(redis.username(), config::username);
    set(redis.password(), config::password);
    set(redis.sentinelUsername(), config::sentinelUsername);
    set(redis.sentinelPassword(), config::sentinelPassword);
    set(redis.connectTimeout(), config::connectTimeout);
    set(redis.commandTimeout(), config::commandTimeout);
    set(redis.retryFor(), config::retryFor);
    set(redis.maxConnections(), config::maxConnections);
    set(redis.numberedEnqueue(), config::numberedEnqueue);
    set(redis.clientName(), config::clientName);
    set(
        redis.sslBundle(),
        name -> config.tls(RedisAddress.tls(bundles.getObject().getBundle(name))));
  }

  private static <T> void set(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }
}
