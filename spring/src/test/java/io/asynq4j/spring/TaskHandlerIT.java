package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.redis.RedisConnection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class TaskHandlerIT {

  record WelcomeEmail(String to) {}

  static class Mails {
    final List<String> sent = new CopyOnWriteArrayList<>();

    @TaskHandler(value = "email:welcome", queue = "mail")
    Outcome welcome(WelcomeEmail mail, TaskContext context) {
      sent.add(mail.to());
      return Outcome.done();
    }
  }

  @Configuration
  @EnableAsynq
  @Import(Mails.class)
  static class App {}

  @Test
  void methodsHandleTasks() {
    try (var redis = io.asynq4j.embedded.EmbeddedRedis.start();
        var context = new AnnotationConfigApplicationContext()) {
      context.registerBean(RedisConnection.class, () -> RedisConnection.open(redis.uri()));
      context.register(App.class);
      context.refresh();
      TaskTypes types = context.getBean(TaskTypes.class);
      context
          .getBean(TaskClient.class)
          .enqueue(types.of(WelcomeEmail.class), new WelcomeEmail("ada"));
      Mails mails = context.getBean(Mails.class);
      await().untilAsserted(() -> assertThat(mails.sent).containsExactly("ada"));
    }
  }
}
