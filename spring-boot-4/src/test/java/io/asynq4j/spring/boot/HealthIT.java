package io.asynq4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The health that the actuator shows. */
class HealthIT {

  private static final String PASSWORD = "s3cret-of-redis";

  private final ApplicationContextRunner contexts =
      Contexts.runner()
          .withConfiguration(AutoConfigurations.of(AsynqHealthAutoConfiguration.class));

  @Test
  void showsTheOldestPendingTaskAndPausedQueues() {
    contexts
        .withPropertyValues("asynq4j.embedded=true")
        .run(
            context -> {
              context
                  .getBean(TaskClient.class)
                  .enqueue(TaskType.of("slow").with(o -> o.queue("reports")))
                  .orThrow();
              context.getBean(Inspector.class).queue("reports").pause();

              Health health =
                  Objects.requireNonNull(context.getBean(HealthIndicator.class).health());

              assertThat(health.getStatus()).isEqualTo(Status.UP);
              assertThat(health.getDetails())
                  .containsEntry("queues", 1)
                  .containsEntry("pending", 1L)
                  .containsEntry("paused", List.of("reports"))
                  .containsKeys("servers", "oldestPending");
            });
  }

  @Test
  void isDownWithoutRedisAndUpWhenRedisIsBack() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().password(PASSWORD).start()) {
      redis.stop();
      contexts
          .withPropertyValues("asynq4j.redis.url=" + redis.uri(), "asynq4j.redis.retry-for=0s")
          .run(
              context -> {
                HealthIndicator indicator = context.getBean(HealthIndicator.class);
                Health down = Objects.requireNonNull(indicator.health());
                assertThat(down.getStatus()).isEqualTo(Status.DOWN);
                assertThat(down.getDetails().toString()).doesNotContain(PASSWORD);

                redis.restart();
                assertThat(Objects.requireNonNull(indicator.health()).getStatus())
                    .isEqualTo(Status.UP);
              });
    }
  }

  @Test
  void canBeDisabled() {
    contexts
        .withPropertyValues(
            "asynq4j.redis.url=redis://127.0.0.1:1", "management.health.asynq4j.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
  }
}
