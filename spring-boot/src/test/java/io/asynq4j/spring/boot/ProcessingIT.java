package io.asynq4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.metrics.QueueMetrics;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.spring.ScheduledTask;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.TaskServers;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Applications that run tasks on a real Redis. */
class ProcessingIT {

  private static final Duration WAIT = Duration.ofMinutes(1);

  private static EmbeddedRedis redis;

  record Mail(String to) {}

  /** Handlers as an application has them. */
  static class Mails {

    final LinkedBlockingQueue<String> sent = new LinkedBlockingQueue<>();
    volatile String thread = "";

    @TaskHandler(value = "email:welcome", queue = "mail", retention = "1h")
    String welcome(Mail mail, TaskContext context) {
      thread = Thread.currentThread().toString();
      sent.add(mail.to());
      return "sent to " + mail.to();
    }

    @ScheduledTask(name = "digest", every = "1s", queue = "mail")
    void digest() {
      sent.add("digest");
    }
  }

  @BeforeAll
  static void startRedis() {
    redis = EmbeddedRedis.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  private static ApplicationContextRunner contexts() {
    return Contexts.runner()
        .withBean(Mails.class)
        .withPropertyValues("asynq4j.redis.url=" + redis.uri(), "asynq4j.scheduler.enabled=false");
  }

  private static final TaskType<Mail> WELCOME =
      TaskType.of("email:welcome", Mail.class)
          .with(o -> o.queue("mail").retention(Duration.ofHours(1)));

  private static TaskInfo send(ApplicationContext context, String to) throws Exception {
    TaskClient client = context.getBean(TaskClient.class);
    TaskInfo task = client.enqueue(WELCOME, new Mail(to)).orThrow();
    return client.awaitResult(task, WAIT).orElseThrow();
  }

  @Test
  void aTaskIsProcessedWithoutAnyFurtherConfiguration() {
    contexts()
        .run(
            context -> {
              assertThat(send(context, "ada").state()).isEqualTo(TaskState.COMPLETED);
              assertThat(context.getBean(Mails.class).sent).contains("ada");
            });
  }

  @Test
  void anApplicationStartsWithAnEmbeddedRedisThatKeepsItsData(@TempDir Path data) {
    ApplicationContextRunner embedded =
        Contexts.runner()
            .withBean(Mails.class)
            .withPropertyValues(
                "asynq4j.embedded=true",
                "asynq4j.embedded-data-directory=" + data,
                "asynq4j.redis.url=redis://not-used:1");

    embedded
        .withInitializer(context -> context.getEnvironment().setActiveProfiles("prod"))
        .withPropertyValues("asynq4j.embedded-force=true", "asynq4j.server.enabled=false")
        .run(
            context ->
                context.getBean(TaskClient.class).enqueue(WELCOME, new Mail("bob")).orThrow());
    embedded.run(
        context -> {
          Mails mails = context.getBean(Mails.class);
          await().untilAsserted(() -> assertThat(mails.sent).contains("bob", "digest"));
        });
  }

  @Test
  void producersProcessNothing() {
    contexts()
        .withPropertyValues("asynq4j.server.enabled=false")
        .run(
            context -> {
              assertThat(context.getBean(TaskServers.class).names()).isEmpty();
              context.getBean(TaskClient.class).enqueue(WELCOME, new Mail("carl")).orThrow();
              assertThat(
                      context
                          .getBean(Inspector.class)
                          .queue("mail")
                          .snapshot()
                          .size(TaskState.PENDING))
                  .isPositive();
              context.getBean(Inspector.class).queue("mail").deleteAll(TaskState.PENDING);
            });
  }

  @Test
  void noServerRunsIfAllOfThemAreDisabled() {
    contexts()
        .withPropertyValues("asynq4j.servers.mail.enabled=false")
        .run(
            context ->
                assertThat(context.getBean(TaskServers.class).names())
                    .as("also none with the name default")
                    .isEmpty());
  }

  private static long keepAliveThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("asynq-keep-alive") && !thread.isDaemon())
        .count();
  }

  private static void reportReady(ConfigurableApplicationContext context) {
    context.publishEvent(
        new ApplicationReadyEvent(
            new SpringApplication(), new String[0], context, Duration.ofSeconds(1)));
  }

  @Test
  void theProcessLivesWhileAServerOrTheSchedulerRuns() {
    ApplicationContextRunner producer =
        contexts().withPropertyValues("asynq4j.server.enabled=false");
    producer.run(
        context -> {
          reportReady(context);
          assertThat(keepAliveThreads()).isZero();
        });
    for (ApplicationContextRunner runner :
        List.of(contexts(), producer.withPropertyValues("asynq4j.scheduler.enabled=true"))) {
      runner.run(
          context -> {
            reportReady(context);
            assertThat(keepAliveThreads()).isEqualTo(1);
          });
      await().until(() -> keepAliveThreads() == 0);
    }
  }

  @Test
  void severalServersRunWithTheirOwnSettings() {
    contexts()
        .withPropertyValues(
            "asynq4j.servers.mail.queues.mail.weight=2",
            "asynq4j.servers.mail.concurrency=3",
            "asynq4j.servers.other.queues.other.weight=1")
        .run(
            context -> {
              assertThat(send(context, "dora").state()).isEqualTo(TaskState.COMPLETED);
              TaskServers servers = context.getBean(TaskServers.class);
              assertThat(servers.names()).containsExactlyInAnyOrder("mail", "other");
              assertThat(servers.find("mail").map(TaskServer::queues)).contains(Map.of("mail", 2));
            });
  }

  @Test
  void aServerMayBeDisabledHereAndRunElsewhere() {
    contexts()
        .withPropertyValues(
            "asynq4j.servers.mail.queues.mail.weight=1",
            "asynq4j.servers.mail.enabled=false",
            "asynq4j.servers.other.queues.other.weight=1")
        .run(
            context ->
                assertThat(context.getBean(TaskServers.class).names()).containsExactly("other"));
  }

  @Test
  void handlersRunOnVirtualThreadsIfSpringBootDoes() {
    contexts()
        .withPropertyValues("spring.threads.virtual.enabled=true")
        .run(
            context -> {
              send(context, "emil");
              assertThat(context.getBean(Mails.class).thread)
                  .matches(
                      thread ->
                          Runtime.version().feature() < 21 || thread.startsWith("VirtualThread"));
            });
  }

  @Test
  void anInvalidServerFailsTheStartWithTheNameOfItsProperty() {
    contexts()
        .withPropertyValues("asynq4j.server.timing.lease=2s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .message()
                    .contains("server \"default\"", "timing.lease must be 3s to 1h, got 2s"));
    contexts()
        .withPropertyValues("asynq4j.server.queues.other.weight=1")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .message()
                    .contains("email:welcome", "\"mail\""));
  }

  @Test
  void metersAreBoundByThemselves() {
    contexts()
        .withConfiguration(AutoConfigurations.of(AsynqMetricsAutoConfiguration.class))
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .run(
            context -> {
              send(context, "fred");
              MeterRegistry registry = context.getBean(MeterRegistry.class);
              await()
                  .untilAsserted(
                      () -> assertThat(registry.find("asynq.task.duration").timer()).isNotNull());
              QueueMetrics queues = context.getBean(QueueMetrics.class);
              queues.bindTo(registry);
              queues.refresh();
              assertThat(registry.find("asynq.up").gauge()).isNotNull();
            });
  }

  @Test
  void metersCanBeDisabled() {
    contexts()
        .withConfiguration(AutoConfigurations.of(AsynqMetricsAutoConfiguration.class))
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues("asynq4j.metrics.queues=false", "asynq4j.metrics.servers=false")
        .run(
            context ->
                assertThat(context)
                    .doesNotHaveBean(QueueMetrics.class)
                    .doesNotHaveBean("asynqServerMetricsCustomizer"));
    contexts()
        .withConfiguration(AutoConfigurations.of(AsynqMetricsAutoConfiguration.class))
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues("asynq4j.metrics.interval=1ms")
        .run(
            context ->
                assertThat(Contexts.invalidSetting(context.getStartupFailure()).getMessage())
                    .contains("asynq4j.metrics.*", "every must be 0 or at least 1 second"));
  }

  @Test
  void theEndpointShowsQueuesAndPausesThem() {
    contexts()
        .withConfiguration(AutoConfigurations.of(AsynqEndpointAutoConfiguration.class))
        .withPropertyValues("management.endpoints.web.exposure.include=asynq")
        .withBean(
            "endpoint",
            AsynqEndpoint.class,
            () -> new AsynqEndpoint(Inspector.create(RedisConnection.lazy(redis.uri()))))
        .run(
            context -> {
              send(context, "gerd");
              AsynqEndpoint endpoint = context.getBean(AsynqEndpoint.class);

              assertThat(String.valueOf(endpoint.overview().get("queues"))).contains("name=mail");
              assertThat(String.valueOf(endpoint.overview().get("servers"))).contains("queues=[");
              assertThat(endpoint.change("mail", "pause")).containsEntry("paused", true);
              assertThat(endpoint.change("mail", "resume")).containsEntry("paused", false);
              assertThat(endpoint.queue("absent")).isNull();
              assertThat(endpoint.change("absent", "pause")).isNull();
              assertThatExceptionOfType(InvalidEndpointRequestException.class)
                  .isThrownBy(() -> endpoint.change("mail", "delete"))
                  .withMessageContaining("use pause or resume");
            });
  }

  @Test
  void everythingOptionalMayBeAbsent() {
    contexts()
        .withConfiguration(
            AutoConfigurations.of(
                AsynqHealthAutoConfiguration.class,
                AsynqEndpointAutoConfiguration.class,
                AsynqMetricsAutoConfiguration.class,
                AsynqDashboardAutoConfiguration.class,
                AsynqServiceConnectionAutoConfiguration.class))
        .withClassLoader(
            new FilteredClassLoader(
                "org.springframework.boot.actuate",
                "org.springframework.boot.health",
                "io.micrometer",
                "io.asynq4j.dashboard",
                "io.asynq4j.embedded",
                "org.springframework.security",
                "org.springframework.data",
                "org.springframework.boot.data",
                "jakarta.servlet"))
        .run(context -> assertThat(send(context, "hans").state()).isEqualTo(TaskState.COMPLETED));
  }
}
