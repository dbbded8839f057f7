package io.asynq4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.asynq4j.Payload;
import io.asynq4j.RateLimit;
import io.asynq4j.client.TaskClient;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.metrics.ServerMetrics;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import io.asynq4j.spring.AsynqSettings;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.TaskServerDefinition;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What properties change, without Redis: contexts connect when they first use the connection. */
class SettingsTest {

  private static final String NOWHERE = "asynq4j.redis.url=redis://127.0.0.1:1";

  private final ApplicationContextRunner contexts = Contexts.runner().withPropertyValues(NOWHERE);

  private void assertRefused(String property, String... parts) {
    assertRefused(contexts.withPropertyValues(property), parts);
  }

  private static void assertRefused(ApplicationContextRunner runner, String... parts) {
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(Contexts.invalidSetting(context.getStartupFailure()).getMessage())
              .contains(parts);
        });
  }

  private static List<TaskServerDefinition> servers(ApplicationContext context) {
    return context.getBean(TaskServerDefinition.Source.class).definitions();
  }

  /** The settings that a server is built with. */
  private static Object config(RedisConnection redis, TaskServerDefinition definition)
      throws Exception {
    TaskServerBuilder builder = TaskServer.builder(redis);
    definition.settings().accept(builder);
    return config(builder);
  }

  private static Object config(TaskServerBuilder builder) throws Exception {
    Method config = TaskServerBuilder.class.getDeclaredMethod("config");
    config.setAccessible(true);
    return Objects.requireNonNull(
        config.invoke(builder.handlers((task, context) -> Outcome.done())));
  }

  @Test
  void aContextHasAllBeans() {
    contexts.run(
        context ->
            assertThat(context)
                .hasNotFailed()
                .hasSingleBean(RedisConnection.class)
                .hasSingleBean(TaskClient.class)
                .hasSingleBean(Inspector.class)
                .hasSingleBean(Scheduler.class)
                .hasSingleBean(PayloadCodec.class));
  }

  @Test
  void nothingIsConfiguredWhenDisabled() {
    contexts
        .withPropertyValues("asynq4j.enabled=false", "asynq4j.embedded=true")
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(RedisConnection.class)
                    .doesNotHaveBean(TaskClient.class));
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBeans {
    @Bean
    RedisConnection redis() {
      return RedisConnection.lazy("redis://127.0.0.1:1");
    }

    @Bean
    TaskClient client(RedisConnection redis) {
      return TaskClient.create(redis);
    }

    @Bean
    Inspector inspector(RedisConnection redis) {
      return Inspector.create(redis);
    }

    @Bean
    Scheduler scheduler(RedisConnection redis) {
      return Scheduler.builder(redis).build();
    }
  }

  @Test
  void nothingIsAddedToAConnectionOfTheApplicationWhenDisabled() {
    Contexts.runner()
        .withConfiguration(
            AutoConfigurations.of(
                AsynqEndpointAutoConfiguration.class,
                AsynqHealthAutoConfiguration.class,
                AsynqMetricsAutoConfiguration.class))
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withBean(RedisConnection.class, () -> RedisConnection.lazy("redis://127.0.0.1:1"))
        .withPropertyValues("asynq4j.enabled=false", "management.endpoints.web.exposure.include=*")
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(AsynqEndpoint.class)
                    .doesNotHaveBean(ServerMetrics.class)
                    .doesNotHaveBean("asynq4jHealthIndicator"));
  }

  @Test
  void theEmbeddedRedisDoesNotStartBesideAConnectionOfTheApplication() {
    Contexts.runner()
        .withBean(RedisConnection.class, () -> RedisConnection.lazy("redis://127.0.0.1:1"))
        .withPropertyValues("asynq4j.embedded=true")
        .run(
            context ->
                assertThat(context.getBeanFactory().containsSingleton("asynqEmbeddedRedis"))
                    .isFalse());
  }

  @Test
  void beansOfTheApplicationReplaceOurs() {
    Contexts.runner()
        .withUserConfiguration(OwnBeans.class)
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .getBeanNames(TaskClient.class)
                    .containsExactly("client"));
  }

  @Test
  void defaultsOfPropertiesAreThoseOfTheCore() {
    contexts.run(
        context -> {
          RedisConnection redis = context.getBean(RedisConnection.class);
          assertThat(config(redis, servers(context).get(0)))
              .usingRecursiveComparison()
              .isEqualTo(config(TaskServer.builder(redis)));
        });
  }

  @Test
  void everySettingOfAServerIsApplied() {
    contexts
        .withPropertyValues(
            "asynq4j.server.concurrency=7",
            "asynq4j.server.queues.mail.weight=3",
            "asynq4j.server.queues.mail.max-active=5",
            "asynq4j.server.queues.mail.rate-limit=100/s",
            "asynq4j.server.queues.mail.burst=20",
            "asynq4j.server.queues.[ledger_eu].ordered=true",
            "asynq4j.server.queues.[tenant-*].weight=2",
            "asynq4j.server.strict-priority=true",
            "asynq4j.server.shutdown-timeout=20s",
            "asynq4j.server.max-result=2KB",
            "asynq4j.server.groups.max-size=10",
            "asynq4j.server.groups.grace=5s",
            "asynq4j.server.timing.lease=30s",
            "asynq4j.server.timing.heartbeat=4s",
            "asynq4j.server.crashes.max=5",
            "asynq4j.server.failures.log-limit=1",
            "asynq4j.server.archive.max-size=10")
        .run(
            context -> {
              RedisConnection redis = context.getBean(RedisConnection.class);
              assertThat(config(redis, servers(context).get(0)))
                  .usingRecursiveComparison()
                  .isEqualTo(
                      config(
                          TaskServer.builder(redis)
                              .concurrency(7)
                              .queue(
                                  "mail",
                                  q ->
                                      q.weight(3)
                                          .maxActive(5)
                                          .rateLimit(RateLimit.parse("100/s").withBurst(20)))
                              .queue("ledger_eu", q -> q.ordered())
                              .queues(q -> q.matching("tenant-*", 2).strictPriority())
                              .shutdownTimeout(Duration.ofSeconds(20))
                              .maxResult(2048)
                              .groups(g -> g.maxSize(10).grace(Duration.ofSeconds(5)))
                              .timing(
                                  t ->
                                      t.lease(Duration.ofSeconds(30))
                                          .heartbeat(Duration.ofSeconds(4)))
                              .crashes(c -> c.max(5))
                              .failures(f -> f.logLimit(1))
                              .archive(a -> a.maxSize(10))));
            });
  }

  static class Handlers {
    @TaskHandler("handled")
    void handle() {}
  }

  @Test
  void severalServersHaveTheirNames() {
    contexts
        .withBean(Handlers.class)
        .withPropertyValues(
            "asynq4j.servers.mail.queues.default.weight=1",
            "asynq4j.servers.reports.queues.reports.weight=1",
            "asynq4j.servers.reports.auto-startup=false",
            "asynq4j.servers.reports.phase=5",
            "asynq4j.servers.old.enabled=false")
        .run(
            context -> {
              assertThat(servers(context))
                  .filteredOn(TaskServerDefinition::isEnabled)
                  .extracting(TaskServerDefinition::name)
                  .containsExactlyInAnyOrder("mail", "reports");
              assertThat(servers(context))
                  .filteredOn(server -> server.name().equals("reports"))
                  .allSatisfy(
                      server -> {
                        assertThat(server.phase()).isEqualTo(5);
                        assertThat(server.isAutoStartup()).isFalse();
                      });
            });
  }

  @Test
  void aDefinitionOfTheApplicationReplacesTheDefaultServer() {
    ApplicationContextRunner own =
        contexts.withBean(
            TaskServerDefinition.class, () -> TaskServerDefinition.of("own").optional());

    own.run(context -> assertThat(servers(context)).isEmpty());
    own.withPropertyValues("asynq4j.server.concurrency=3")
        .run(context -> assertThat(servers(context)).hasSize(1));
  }

  @Test
  void producersNeedNoServerAndNoScheduler() {
    contexts
        .withPropertyValues("asynq4j.server.enabled=false", "asynq4j.scheduler.enabled=false")
        .run(
            context -> {
              AsynqSettings settings = context.getBean(AsynqSettings.class);
              assertThat(settings.hasServers()).isFalse();
              assertThat(settings.hasScheduler()).isFalse();
            });
  }

  @Test
  void refusesOneServerBesideSeveral() {
    assertRefused(
        contexts.withPropertyValues(
            "asynq4j.server.concurrency=3", "asynq4j.servers.mail.concurrency=2"),
        "asynq4j.server.concurrency and asynq4j.servers.mail are both set",
        "move the settings");
  }

  @Test
  void refusesSettingsOfServersWithTheirProperty() {
    assertServerRefused("queues.mail.weight=0", "weight");
    assertServerRefused("queues.mail.rate-limit=often", "a rate must be");
    assertServerRefused("queues.mail.burst=5", "queues.mail.burst is 5 without rate-limit");
    assertServerRefused("queues.[a-*].max-active=5", "is a pattern, which has only a weight");
    assertServerRefused("queues.[a-*].burst=5", "is a pattern, which has only a weight");
    assertServerRefused("retry.max-delay=5s", "retry.max-delay is set without retry.delay");
    assertServerRefused("max-result=5GB", "overflow");
  }

  private void assertServerRefused(String property, String message) {
    contexts
        .withPropertyValues("asynq4j.server." + property)
        .run(
            context ->
                assertThatIllegalArgumentException()
                    .isThrownBy(
                        () ->
                            servers(context)
                                .get(0)
                                .settings()
                                .accept(TaskServer.builder(context.getBean(RedisConnection.class))))
                    .withMessageContaining("a property asynq4j.server.* cannot be used")
                    .withMessageContaining(message));
  }

  @Test
  void refusesSettingsOfTheClient() {
    assertRefused("asynq4j.client.replicas=0", "asynq4j.client.*", "replicas", "correct its value");
    assertRefused("asynq4j.client.max-payload=1GB", "asynq4j.client.*", "maxPayload");
  }

  @Test
  void refusesSettingsOfTheScheduler() {
    contexts
        .withPropertyValues("asynq4j.scheduler.leader-lease=1ms")
        .run(
            context ->
                assertThat(
                        Contexts.invalidSetting(
                                catchThrowable(() -> context.getBean(Scheduler.class)))
                            .getMessage())
                    .contains("asynq4j.scheduler.*", "correct its value"));
  }

  @Test
  void withoutSchedulesThereIsNoScheduler() {
    contexts
        .withBean(Handlers.class)
        .run(
            context ->
                assertThat(context.getBeanFactory().containsSingleton("asynqScheduler")).isFalse());
  }

  @Test
  void refusesTheEmbeddedRedisInProduction() {
    for (String profile : List.of("prod", "production")) {
      assertRefused(
          contexts
              .withInitializer(context -> context.getEnvironment().setActiveProfiles(profile))
              .withPropertyValues("asynq4j.embedded=true"),
          "asynq4j.embedded is true while the profile \"" + profile + "\" is active",
          "asynq4j.embedded-force=true");
    }
  }

  @Test
  void refusesTheEmbeddedRedisWithoutItsLibrary() {
    assertRefused(
        contexts
            .withClassLoader(new FilteredClassLoader("io.asynq4j.embedded"))
            .withPropertyValues("asynq4j.embedded=true"),
        "asynq4j-embedded is not on the class path",
        "add the dependency io.asynq4j:asynq4j-embedded");
  }

  @Test
  void refusesADataDirectoryThatIsAFile(@TempDir Path directory) throws Exception {
    Path file = Files.createFile(directory.resolve("file"));

    assertRefused(
        contexts.withPropertyValues(
            "asynq4j.embedded=true", "asynq4j.embedded-data-directory=" + file),
        "the embedded Redis does not start",
        file.toString(),
        "asynq4j.embedded-data-directory");
  }

  @Test
  void refusesAnImpossiblePortOfTheEmbeddedRedis() {
    assertRefused(
        contexts.withPropertyValues("asynq4j.embedded=true", "asynq4j.embedded-port=70000"),
        "asynq4j.embedded-port cannot be used",
        "any free port");
  }

  @Test
  void aCodecOfTheApplicationWins() {
    PayloadCodec own =
        new PayloadCodec() {
          @Override
          public Payload encode(Object value) {
            return Payload.of(new byte[0]);
          }

          @Override
          public Object decode(Payload payload, Type type) {
            return "";
          }
        };

    contexts
        .withBean(PayloadCodec.class, () -> own)
        .withPropertyValues("asynq4j.codec=strict-json")
        .run(context -> assertThat(context.getBean(RedisConnection.class).codec()).isSameAs(own));
  }

  @Test
  void theMapperOfTheApplicationIsUsedOnlyOnRequest() {
    Class<?> mapper =
        Contexts.found(
            "tools.jackson.databind.ObjectMapper", "com.fasterxml.jackson.databind.ObjectMapper");
    ApplicationContextRunner withMapper =
        contexts.withBean("mapper", mapper.asSubclass(Object.class));

    withMapper.run(
        context ->
            assertThat(context.getBean(RedisConnection.class).codec())
                .isSameAs(PayloadCodec.json()));
    withMapper
        .withPropertyValues("asynq4j.codec=application")
        .run(
            context ->
                assertThat(context.getBean(RedisConnection.class).codec())
                    .hasSameClassAs(PayloadCodec.jackson(context.getBean("mapper"))));
    assertRefused(
        withMapper
            .withBean("second", mapper.asSubclass(Object.class))
            .withPropertyValues("asynq4j.codec=application"),
        "several mappers [mapper, second]",
        "@Primary");
  }

  @Test
  void refusesTheMapperOfAnApplicationWithoutOne() {
    assertRefused("asynq4j.codec=application", "there is no bean of type ObjectMapper");
  }
}
