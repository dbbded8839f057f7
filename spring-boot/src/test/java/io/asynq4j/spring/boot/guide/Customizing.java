package io.asynq4j.spring.boot.guide;

import io.asynq4j.Durability;
import io.asynq4j.dashboard.Credentials;
import io.asynq4j.redis.TlsConfig;
import io.asynq4j.spring.TaskServerCustomizer;
import io.asynq4j.spring.boot.DashboardCustomizer;
import io.asynq4j.spring.boot.RedisConfigCustomizer;
import io.asynq4j.spring.boot.TaskClientCustomizer;
import java.nio.file.Path;
import org.springframework.context.annotation.Bean;

/** Not found by the component scan of {@link Hello}. */
class Customizing {

  @Bean
  RedisConfigCustomizer tunnel() {
    return redis -> redis.tls(TlsConfig.defaults().withServerName("redis.example.com"));
  }

  @Bean
  TaskClientCustomizer durable() {
    return client -> client.durability(Durability.REPLICATED);
  }

  @Bean
  TaskServerCustomizer patient() {
    return (name, server) ->
        server.failures(f -> f.isFailure(error -> !(error instanceof RateLimitedException)));
  }

  @Bean
  DashboardCustomizer users() {
    return dashboard ->
        dashboard.access(a -> a.credentials(Credentials.fromFile(Path.of("users.txt"))));
  }

  static class RateLimitedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
