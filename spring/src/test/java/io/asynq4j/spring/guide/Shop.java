package io.asynq4j.spring.guide;

import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.spring.AsynqSettings;
import io.asynq4j.spring.EnableAsynq;
import io.asynq4j.spring.ScheduledTask;
import io.asynq4j.spring.ScheduledTask.Missed;
import io.asynq4j.spring.SchedulerCustomizer;
import io.asynq4j.spring.TaskAggregator;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.TaskHeader;
import io.asynq4j.spring.TaskServerCustomizer;
import io.asynq4j.spring.TaskServerDefinition;
import io.asynq4j.spring.TaskTypes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/** The code of docs/guides/spring.md. */
final class Shop {

  private Shop() {}

  record WelcomeEmail(String to, String language) {}

  record SignedUp(String email) {}

  record Notification(String text) {}

  record Digest(List<String> texts) {}

  record Invoice(int number) {}

  interface Mailer {

    boolean send(String to, String text);
  }

  @Configuration
  @EnableAsynq
  static class Application {

    @Bean
    RedisConnection redis(@Value("${shop.redis}") String url) {
      return RedisConnection.open(url);
    }
  }

  @Component
  static class Mails {

    private final Mailer mailer;

    Mails(Mailer mailer) {
      this.mailer = mailer;
    }

    @TaskHandler(value = "email:welcome", queue = "mail", maxRetry = 5, timeout = "30s")
    Outcome welcome(WelcomeEmail mail, TaskContext context) {
      boolean accepted = mailer.send(mail.to(), "Welcome!");
      return accepted ? Outcome.done() : Outcome.snooze(Duration.ofMinutes(5));
    }

    @TaskHandler(value = "email:reminder", queue = "mail", uniqueFor = "${shop.reminder:1h}")
    void remind(String to, @TaskHeader("tenant") Optional<String> tenant) {
      mailer.send(to, "Please come back to " + tenant.orElse("us"));
    }

    @ScheduledTask(
        name = "nightly-digest",
        cron = "0 3 * * *",
        zone = "Europe/Oslo",
        missed = Missed.RUN_ONCE)
    void digest() {
      mailer.send("all@example.com", "Good morning!");
    }

    @ScheduledTask(name = "clean-up", every = "${shop.clean-up:15m}", queue = "low", maxRetry = 0)
    void cleanUp() {}
  }

  @Component
  static class SignUp {

    private final TaskClient client;
    private final TaskType<WelcomeEmail> welcomeEmail;

    SignUp(TaskClient client, TaskType<WelcomeEmail> welcomeEmail) {
      this.client = client;
      this.welcomeEmail = welcomeEmail;
    }

    @TransactionalEventListener(fallbackExecution = true)
    void welcome(SignedUp event) {
      client.enqueue(welcomeEmail, new WelcomeEmail(event.email(), "en"));
    }
  }

  static final TaskType<Invoice> INVOICE =
      TaskType.of("invoice", Invoice.class).with(o -> o.queue("billing").maxRetry(10));

  @Configuration
  static class Invoices {

    @Bean
    TaskType<Invoice> invoice() {
      return INVOICE;
    }

    @Bean
    @TaskHandler(bean = "invoice")
    Handler<Invoice> invoiceHandler() {
      return (invoice, context) -> Outcome.done();
    }
  }

  @Component
  static class Digests {

    @TaskAggregator(type = "notification")
    Digest combine(List<Notification> notifications) {
      return new Digest(notifications.stream().map(Notification::text).toList());
    }

    @TaskHandler("digest")
    void send(Digest digest) {}
  }

  @Configuration
  static class Servers {

    @Bean
    TaskServerDefinition defaultServer() {
      return TaskServerDefinition.of("default")
          .with(s -> s.queue("default").queue("mail", 3).queue("low").concurrency(20));
    }

    @Bean
    TaskServerDefinition billing() {
      return TaskServerDefinition.of("billing")
          .with(s -> s.queue("billing").concurrency(2).shutdownTimeout(Duration.ofSeconds(20)));
    }

    @Bean
    TaskServerCustomizer leases() {
      return (name, server) -> server.timing(t -> t.lease(Duration.ofSeconds(60)));
    }

    @Bean
    @Order(1)
    Middleware log() {
      return (task, context, next) -> {
        System.out.println("running " + task.type());
        return next.call();
      };
    }
  }

  @Configuration
  static class Schedules {

    @Bean
    ScheduleEntry report(TaskTypes types) {
      return ScheduleEntry.of(
          "report", Schedule.cron("0 6 1 * *"), types.of("email:reminder", String.class), "boss");
    }

    @Bean
    SchedulerCustomizer fromDatabase() {
      return scheduler -> scheduler.source(() -> List.of()).sourceInterval(Duration.ofMinutes(1));
    }
  }

  @Configuration
  static class Producer {

    @Bean
    AsynqSettings producersOnly() {
      return AsynqSettings.defaults().servers(false).scheduler(false);
    }
  }
}
