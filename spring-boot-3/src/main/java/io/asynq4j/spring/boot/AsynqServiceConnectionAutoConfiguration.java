package io.asynq4j.spring.boot;

import io.asynq4j.redis.RedisConfig.Endpoint;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Cluster;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Node;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Sentinel;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Standalone;
import org.springframework.context.annotation.Bean;

/**
 * Connects to the Redis of Spring Boot: that of {@code spring.data.redis.*}, Docker Compose or
 * {@code @ServiceConnection}.
 */
@AutoConfiguration(
    before = AsynqAutoConfiguration.class,
    afterName = "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration")
@ConditionalOnClass(RedisConnectionDetails.class)
public final class AsynqServiceConnectionAutoConfiguration {

  @Bean
  @ConditionalOnBean(RedisConnectionDetails.class)
  RedisConfigResolver.ServiceConnection asynqServiceConnection(RedisConnectionDetails redis) {
    return () -> address(redis).login(redis.getUsername(), redis.getPassword()).config();
  }

  private static RedisAddress address(RedisConnectionDetails redis) {
    Sentinel sentinel = redis.getSentinel();
    if (sentinel != null) {
      return new RedisAddress()
          .sentinel(
              sentinel.getMaster(),
              endpoints(sentinel.getNodes()),
              sentinel.getDatabase(),
              sentinel.getUsername(),
              sentinel.getPassword())
          .ssl(sentinel.getSslBundle());
    }
    Cluster cluster = redis.getCluster();
    if (cluster != null) {
      return new RedisAddress().cluster(endpoints(cluster.getNodes())).ssl(cluster.getSslBundle());
    }
    Standalone standalone = redis.getStandalone();
    if (standalone == null) {
      throw new InvalidAsynqSettingException(
          "the bean of type RedisConnectionDetails has no address of Redis",
          "correct it, or set asynq4j.redis.url");
    }
    return new RedisAddress()
        .standalone(standalone.getHost(), standalone.getPort(), standalone.getDatabase())
        .ssl(standalone.getSslBundle());
  }

  private static List<Endpoint> endpoints(List<Node> nodes) {
    return nodes.stream().map(node -> RedisAddress.endpoint(node.host(), node.port())).toList();
  }
}
