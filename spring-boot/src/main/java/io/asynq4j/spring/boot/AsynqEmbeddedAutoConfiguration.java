package io.asynq4j.spring.boot;

import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedRedisException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Starts a Redis for development if {@code asynq4j.embedded} is true. */
@AutoConfiguration(before = AsynqAutoConfiguration.class)
@ConditionalOnBooleanProperty("asynq4j.embedded")
@ConditionalOnBooleanProperty(name = "asynq4j.enabled", matchIfMissing = true)
@EnableConfigurationProperties(AsynqProperties.class)
public final class AsynqEmbeddedAutoConfiguration {

  private static final Logger log = LoggerFactory.getLogger(AsynqEmbeddedAutoConfiguration.class);
  private static final Set<String> PRODUCTION = Set.of("prod", "production");

  /**
   * With the library of the embedded Redis. Lazy, so that tests and applications with a connection
   * of their own start none.
   */
  @Configuration(proxyBeanMethods = false)
  @Lazy
  @ConditionalOnClass(EmbeddedRedis.class)
  static class Present {

    @Bean
    @ConditionalOnMissingBean
    EmbeddedRedis asynqEmbeddedRedis(AsynqProperties properties, Environment environment) {
      requireDevelopment(properties, environment);
      EmbeddedRedis.Builder builder = EmbeddedRedis.builder();
      try {
        builder.port(properties.embeddedPort());
      } catch (IllegalArgumentException e) {
        throw new InvalidAsynqSettingException(
            "asynq4j.embedded-port cannot be used: " + e.getMessage(),
            "correct it, or leave it out for any free port");
      }
      Optional.ofNullable(properties.embeddedDataDirectory()).ifPresent(builder::dataDirectory);
      EmbeddedRedis redis = start(builder);
      log.info("started an embedded Redis at {}", redis.uri());
      return redis;
    }

    private static EmbeddedRedis start(EmbeddedRedis.Builder builder) {
      try {
        return builder.start();
      } catch (EmbeddedRedisException e) {
        throw new InvalidAsynqSettingException(
            "the embedded Redis does not start: " + e.getMessage(),
            "correct this, asynq4j.embedded-port or asynq4j.embedded-data-directory, or set asynq4j.redis.url instead of asynq4j.embedded",
            e);
      }
    }

    @Bean
    RedisConfigResolver.Embedded asynqEmbeddedRedisAddress(EmbeddedRedis redis) {
      return redis::uri;
    }
  }

  /** Without the library of the embedded Redis. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("io.asynq4j.embedded.EmbeddedRedis")
  static class Absent {

    @Bean
    RedisConfigResolver.Embedded asynqEmbeddedRedisAddress() {
      throw new InvalidAsynqSettingException(
          "asynq4j.embedded is true, but asynq4j-embedded is not on the class path",
          "add the dependency io.asynq4j:asynq4j-embedded, or set asynq4j.redis.url");
    }
  }

  static void requireDevelopment(AsynqProperties properties, Environment environment) {
    Optional<String> production =
        Arrays.stream(environment.getActiveProfiles()).filter(PRODUCTION::contains).findFirst();
    if (production.isPresent() && !properties.embeddedForce()) {
      throw new InvalidAsynqSettingException(
          "asynq4j.embedded is true while the profile \"%s\" is active, but the embedded Redis has no replica and may lose its data when it stops"
              .formatted(production.get()),
          "set asynq4j.redis.url for this profile, or asynq4j.embedded-force=true if you want it nevertheless");
    }
  }
}
