package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskType;
import io.asynq4j.schedule.MissedPolicy;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;

/** Scheduled methods and beans are entries of the scheduler. */
class SchedulesIT {

  static class Schedules {

    static final CountDownLatch FIRED = new CountDownLatch(1);
    static final CountDownLatch ENTRY_FIRED = new CountDownLatch(1);

    @ScheduledTask(
        name = "nightly-digest",
        cron = "0 3 * * *",
        zone = "Europe/Oslo",
        missed = ScheduledTask.Missed.RUN_ONCE,
        queue = "low",
        timeout = "10m")
    void digest() {}

    @ScheduledTask(name = "often", every = "1s")
    void often() {
      FIRED.countDown();
    }

    @ScheduledTask(name = "disabled", cron = "${digest.cron:-}")
    void disabled() {}

    @TaskHandler("ping")
    void ping(String text) {
      ENTRY_FIRED.countDown();
    }

    @Bean
    ScheduleEntry entry() {
      return ScheduleEntry.of(
          "ping", Schedule.every(Duration.ofSeconds(1)), TaskType.of("ping", String.class), "hi");
    }

    @Bean
    SchedulerCustomizer customizer() {
      return scheduler -> scheduler.instantHeader("fired-for");
    }
  }

  @Test
  void entriesFireAndTheirMethodsRun() throws InterruptedException {
    try (TestApp app = TestApp.start(Schedules.class)) {
      Scheduler scheduler = app.bean(Scheduler.class);

      assertThat(scheduler.entries())
          .extracting(ScheduleEntry::name)
          .containsExactlyInAnyOrder("nightly-digest", "often", "ping");
      ScheduleEntry nightly =
          scheduler.entries().stream()
              .filter(entry -> entry.name().equals("nightly-digest"))
              .findFirst()
              .orElseThrow();
      assertThat(nightly.schedule().spec()).isEqualTo("CRON_TZ=Europe/Oslo 0 3 * * *");
      assertThat(nightly.missed()).isEqualTo(MissedPolicy.runOnce());
      assertThat(String.valueOf(nightly.options().queue())).isEqualTo("low");
      assertThat(nightly.options().timeout()).isEqualTo(Duration.ofMinutes(10));
      assertThat(app.types().find("disabled")).isPresent();
      Schedules.FIRED.await();
      Schedules.ENTRY_FIRED.await();
    }
  }

  static class WithSource {

    static final CompletableFuture<ClassLoader> LOADER = new CompletableFuture<>();

    @Bean
    SchedulerCustomizer customizer() {
      return scheduler ->
          scheduler.source(
              () -> {
                LOADER.complete(Thread.currentThread().getContextClassLoader());
                return List.of();
              });
    }
  }

  @Test
  void sourcesOfEntriesAreCalledWithTheClassLoaderOfTheContext() throws Exception {
    ClassLoader loader = new URLClassLoader(new URL[0], SchedulesIT.class.getClassLoader());
    try (TestApp app = TestApp.builder().classLoader(loader).start(WithSource.class)) {
      assertThat(WithSource.LOADER.get()).isSameAs(loader);
      assertThat(app.bean(Scheduler.class).entries()).isEmpty();
    }
  }
}
