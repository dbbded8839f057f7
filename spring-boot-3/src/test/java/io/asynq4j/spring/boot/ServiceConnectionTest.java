package io.asynq4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConfig.Endpoint;
import io.asynq4j.redis.RedisConnection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Connection details as Testcontainers and Docker Compose define them. */
class ServiceConnectionTest {

  private static ApplicationContextRunner contexts(RedisConnectionDetails details) {
    return Contexts.runner()
        .withConfiguration(AutoConfigurations.of(AsynqServiceConnectionAutoConfiguration.class))
        .withBean(RedisConnectionDetails.class, () -> details)
        // Those of a container come before properties.
        .withPropertyValues(
            "spring.data.redis.url=rediss://ignored:1", "spring.data.redis.timeout=7s");
  }

  private static RedisConfig config(RedisConnectionDetails details) {
    AtomicReference<RedisConfig> config = new AtomicReference<>();
    contexts(details)
        .withBean(RedisConfigCustomizer.class, () -> builder -> config.set(builder.build()))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisConnection.class));
    return Objects.requireNonNull(config.get());
  }

  @Test
  void connectsToAContainer() {
    RedisConfig config =
        config(
            new RedisConnectionDetails() {
              @Override
              public String getPassword() {
                return "s3cret";
              }

              @Override
              public Standalone getStandalone() {
                return Standalone.of("container", 32768);
              }
            });

    assertThat(config.endpoints()).containsExactly(new Endpoint("container", 32768));
    assertThat(config.password()).contains("s3cret");
    assertThat(config.tls()).isEmpty();
    assertThat(config.commandTimeout()).hasSeconds(7);
  }

  @Test
  void connectsWithTheBundleOfAContainer() {
    RedisConfig config =
        config(
            new RedisConnectionDetails() {

              @Override
              public Cluster getCluster() {
                return new Cluster() {
                  @Override
                  public List<Node> getNodes() {
                    return List.of(new Node("n1", 7000));
                  }

                  @Override
                  public SslBundle getSslBundle() {
                    return SslBundle.systemDefault();
                  }
                };
              }
            });

    assertThat(config.kind()).isEqualTo(RedisConfig.Kind.CLUSTER);
    assertThat(config.tls().orElseThrow().context()).isPresent();
  }

  @Test
  void refusesDetailsWithoutAnAddress() {
    contexts(new RedisConnectionDetails() {})
        .run(
            context ->
                assertThat(Contexts.invalidSetting(context.getStartupFailure()).getMessage())
                    .contains(
                        "RedisConnectionDetails has no address of Redis", "asynq4j.redis.url"));
  }
}
