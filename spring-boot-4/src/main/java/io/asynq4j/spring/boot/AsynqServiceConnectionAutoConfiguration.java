package io.asynq4j.spring.boot;

import io.asynq4j.redis.RedisConfig.Endpoint;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.context.annotation.Bean;

/**
 * Connects to the Redis of Spring Boot: that of {@code spring.data.redis.*}, Docker Compose or
 * {@code @ServiceConnection}.
 */
@AutoConfiguration(
    before = AsynqAutoConfiguration.class,
    afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass(DataRedisConnectionDetails.class)
public final class AsynqServiceConnectionAutoConfiguration {

  @Bean
  @ConditionalOnBean(DataRedisConnectionDetails.class)
  RedisConfigResolver.ServiceConnection asynqServiceConnection(DataRedisConnectionDetails redis) {
    return () -> address(redis).login(redis.getUsername(), redis.getPassword()).config();
  }

  private static RedisAddress address(DataRedisConnectionDetails redis) {
    Sentinel sentinel = redis.getSentinel();
    if (sentinel != null) {
      return new RedisAddress()
          .sentinel(
              sentinel.getMaster(),
              endpoints(sentinel.getNodes()),
              sentinel.getDatabase(),
              sentinel.getUsername(),
              sentinel.getPassword())
          .ssl(redis.getSslBundle());
    }
    Cluster cluster = redis.getCluster();
    if (cluster != null) {
      return new RedisAddress().cluster(endpoints(cluster.getNodes())).ssl(redis.getSslBundle());
    }
    if (redis.getMasterReplica() != null) {
      throw new InvalidAsynqSettingException(
          "the connection to Redis is a fixed list of primary and replicas, which asynq4j cannot follow in a failover",
          "use Redis Sentinel or Redis Cluster, or set asynq4j.redis.url to the primary");
    }
    Standalone standalone = redis.getStandalone();
    if (standalone == null) {
      throw new InvalidAsynqSettingException(
          "the bean of type DataRedisConnectionDetails has no address of Redis",
          "correct it, or set asynq4j.redis.url");
    }
    return new RedisAddress()
        .standalone(standalone.getHost(), standalone.getPort(), standalone.getDatabase())
        .ssl(redis.getSslBundle());
  }

  private static List<Endpoint> endpoints(List<Node> nodes) {
    return nodes.stream().map(node -> RedisAddress.endpoint(node.host(), node.port())).toList();
  }
}
