package io.asynq4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConfig.Endpoint;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Where Redis is: which properties and beans decide, and what is reported if none does. */
class ConnectionTest {

  private static final String PASSWORD = "s3cret-of-redis";

  private final ApplicationContextRunner contexts =
      Contexts.runner()
          .withConfiguration(
              AutoConfigurations.of(
                  SslAutoConfiguration.class, AsynqServiceConnectionAutoConfiguration.class));

  private final ApplicationContextRunner withoutSpringData =
      contexts.withClassLoader(
          new FilteredClassLoader(
              "org.springframework.data.redis",
              "org.springframework.boot.data.redis",
              "org.springframework.boot.autoconfigure.data.redis"));

  /** Starts a context, which connects to nothing, and returns the settings of its connection. */
  private static RedisConfig config(ApplicationContextRunner runner) {
    AtomicReference<RedisConfig> config = new AtomicReference<>();
    runner
        .withBean(RedisConfigCustomizer.class, () -> builder -> config.set(builder.build()))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisConnection.class));
    return Objects.requireNonNull(config.get());
  }

  private static void assertRefused(ApplicationContextRunner runner, String... parts) {
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(Contexts.invalidSetting(context.getStartupFailure()).getMessage())
              .contains(parts)
              .doesNotContain(PASSWORD);
        });
  }

  @Test
  void theUrlOfAsynqComesFirst() {
    RedisConfig config =
        config(
            contexts.withPropertyValues(
                "asynq4j.redis.url=redis://tasks:6380/2", "spring.data.redis.host=cache"));

    assertThat(config.endpoints()).containsExactly(new Endpoint("tasks", 6380));
    assertThat(config.database()).isEqualTo(2);
  }

  @Test
  void settingsOverrideThoseOfTheUrl() {
    RedisConfig config =
        config(
            contexts.withPropertyValues(
                "asynq4j.redis.url=redis-sentinel://a,b/1?master=tasks&connectTimeout=9s",
                "asynq4j.redis.username=worker",
                "asynq4j.redis.password=" + PASSWORD,
                "asynq4j.redis.sentinel-username=watcher",
                "asynq4j.redis.sentinel-password=other",
                "asynq4j.redis.command-timeout=1s",
                "asynq4j.redis.retry-for=4s",
                "asynq4j.redis.max-connections=12",
                "asynq4j.redis.numbered-enqueue=false",
                "asynq4j.redis.client-name=shop"));

    assertThat(config)
        .isEqualTo(
            RedisConfig.builder()
                .sentinel("tasks", new Endpoint("a", 26379), new Endpoint("b", 26379))
                .database(1)
                .connectTimeout(Duration.ofSeconds(9))
                .username("worker")
                .password(PASSWORD)
                .sentinelUsername("watcher")
                .sentinelPassword("other")
                .commandTimeout(Duration.ofSeconds(1))
                .retryFor(Duration.ofSeconds(4))
                .maxConnections(12)
                .numberedEnqueue(false)
                .clientName("shop")
                .build());
  }

  /** With Spring Data Redis, its connection details; without, the same properties. */
  private void assertSame(Consumer<RedisConfig> expectation, String... properties) {
    expectation.accept(
        config(Contexts.withSpringDataRedis(contexts.withPropertyValues(properties))));
    expectation.accept(config(withoutSpringData.withPropertyValues(properties)));
  }

  @Test
  void followsTheServerOfSpring() {
    assertSame(
        config ->
            assertThat(config)
                .isEqualTo(
                    RedisConfig.builder()
                        .standalone("cache", 6390)
                        .database(3)
                        .username("worker")
                        .password(PASSWORD)
                        .commandTimeout(Duration.ofSeconds(7))
                        .connectTimeout(Duration.ofSeconds(2))
                        .clientName("shop")
                        .build()),
        "spring.data.redis.host=cache",
        "spring.data.redis.port=6390",
        "spring.data.redis.database=3",
        "spring.data.redis.username=worker",
        "spring.data.redis.password=" + PASSWORD,
        "spring.data.redis.timeout=7s",
        "spring.data.redis.connect-timeout=2s",
        "spring.data.redis.client-name=shop");
  }

  @Test
  void followsTheUrlOfSpring() {
    assertSame(
        config -> {
          assertThat(config.endpoints()).containsExactly(new Endpoint("cache", 6391));
          assertThat(config.password()).contains(PASSWORD);
          assertThat(config.tls()).isPresent();
        },
        "spring.data.redis.url=rediss://worker:" + PASSWORD + "@cache:6391");
  }

  @Test
  void followsTheSentinelsOfSpring() {
    assertSame(
        config ->
            assertThat(config)
                .isEqualTo(
                    RedisConfig.builder()
                        .sentinel("tasks", new Endpoint("s1", 26379), new Endpoint("::1", 26380))
                        .database(1)
                        .password(PASSWORD)
                        .sentinelPassword("other")
                        .build()),
        "spring.data.redis.sentinel.master=tasks",
        "spring.data.redis.sentinel.nodes=s1:26379,[::1]:26380",
        "spring.data.redis.sentinel.password=other",
        "spring.data.redis.database=1",
        "spring.data.redis.password=" + PASSWORD);
  }

  @Test
  void followsTheClusterOfSpring() {
    assertSame(
        config ->
            assertThat(config)
                .isEqualTo(
                    RedisConfig.builder()
                        .cluster(new Endpoint("n1", 7000), new Endpoint("n2", 7001))
                        .build()),
        "spring.data.redis.cluster.nodes=n1:7000,n2:7001");
  }

  @Test
  void usesTheCertificatesOfABundle() throws Exception {
    String store = Contexts.keyStore(PASSWORD);
    String[] bundle = {
      "spring.ssl.bundle.jks.redis.truststore.location=file:" + store,
      "spring.ssl.bundle.jks.redis.truststore.password=" + PASSWORD,
      "spring.ssl.bundle.jks.redis.truststore.type=PKCS12"
    };

    assertSame(
        config -> assertThat(config.tls().orElseThrow().context()).isPresent(),
        concat(bundle, "spring.data.redis.host=cache", "spring.data.redis.ssl.bundle=redis"));
    assertThat(
            config(
                    contexts.withPropertyValues(
                        concat(
                            bundle,
                            "asynq4j.redis.url=redis://tasks",
                            "asynq4j.redis.ssl-bundle=redis")))
                .tls()
                .orElseThrow()
                .context())
        .isPresent();
    assertRefused(
        contexts.withPropertyValues(
            concat(
                bundle,
                "spring.ssl.bundle.jks.redis.options.ciphers=TLS_AES_128_GCM_SHA256",
                "asynq4j.redis.url=redis://tasks",
                "asynq4j.redis.ssl-bundle=redis")),
        "restricts ciphers or protocols",
        "use a bundle without options");
  }

  @Test
  void usesTheCertificatesOfTheJvmWithoutABundle() {
    assertSame(
        config -> assertThat(config.tls()).isPresent(),
        "spring.data.redis.host=cache",
        "spring.data.redis.ssl.enabled=true");
    assertSame(
        config -> assertThat(config.tls()).isEmpty(),
        "spring.data.redis.host=cache",
        "spring.data.redis.ssl.enabled=false",
        "spring.data.redis.ssl.bundle=absent");
  }

  private static String[] concat(String[] some, String... more) {
    String[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  @Test
  void refusesAMissingBundle() {
    assertRefused(
        contexts.withPropertyValues(
            "asynq4j.redis.url=redis://tasks", "asynq4j.redis.ssl-bundle=absent"),
        "the SSL bundle \"absent\", which does not exist",
        "spring.ssl.bundle");
  }

  @Test
  void refusesToStartWithoutAnyRedis() {
    assertRefused(
        withoutSpringData,
        "no Redis is configured for tasks",
        "asynq4j.redis.url, such as redis://localhost:6379",
        "asynq4j.embedded=true");
  }

  @Test
  void refusesAUrlWithoutShowingItsPassword() {
    assertRefused(
        contexts.withPropertyValues("asynq4j.redis.url=http://user:" + PASSWORD + "@tasks"),
        "asynq4j.redis.url cannot be used",
        "A correct one");
    assertRefused(
        withoutSpringData.withPropertyValues(
            "spring.data.redis.url=http://user:" + PASSWORD + "@tasks"),
        "spring.data.redis.url cannot be used");
  }

  @Test
  void refusesSettingsThatAreOutOfRange() {
    assertRefused(
        contexts.withPropertyValues(
            "asynq4j.redis.url=redis://tasks", "asynq4j.redis.max-connections=0"),
        "maxConnections",
        "correct the property under asynq4j.redis");
  }

  @Test
  void refusesSentinelsWithoutTheNameOfTheirPrimary() {
    assertRefused(
        withoutSpringData.withPropertyValues("spring.data.redis.sentinel.nodes=s1:26379"),
        "the name of its primary is missing",
        "set spring.data.redis.sentinel.master");
  }

  @Test
  void refusesANodeWithoutAPort() {
    assertRefused(
        withoutSpringData.withPropertyValues("spring.data.redis.cluster.nodes=n1"),
        "an entry of spring.data.redis.cluster.nodes is not a host and a port",
        "host:port");
  }

  @Test
  void canFailToStartWithoutRedis() {
    contexts
        .withPropertyValues(
            "asynq4j.redis.url=redis://user:" + PASSWORD + "@127.0.0.1:1",
            "asynq4j.redis.check-at-start=true")
        .run(
            context ->
                assertThat(Contexts.invalidSetting(context.getStartupFailure()))
                    .message()
                    .contains("cannot connect to Redis at 127.0.0.1:1", "check-at-start")
                    .doesNotContain(PASSWORD));
  }
}
