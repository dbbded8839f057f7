package io.asynq4j.spring.guide;

import io.asynq4j.ResultTaskType;
import io.asynq4j.TaskInfo;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.spring.EnableAsynq;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.TaskTypes;
import java.time.Duration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

@Configuration
@EnableAsynq
@Import(Hello.Greetings.class)
public class Hello {

  record Greeting(String name) {}

  static class Greetings {

    @TaskHandler(value = "greet", retention = "1h")
    String greet(Greeting greeting) {
      return "Hello, " + greeting.name() + "!";
    }
  }

  @Bean
  EmbeddedRedis embedded() {
    return EmbeddedRedis.start();
  }

  @Bean
  RedisConnection redis(EmbeddedRedis embedded) {
    return RedisConnection.open(embedded.uri());
  }

  public static void main(String[] args) throws Exception {
    try (var context = new AnnotationConfigApplicationContext(Hello.class)) {
      TaskClient client = context.getBean(TaskClient.class);
      ResultTaskType<Greeting, String> greet =
          context.getBean(TaskTypes.class).of(Greeting.class, String.class);
      TaskInfo task = client.enqueue(greet, new Greeting("world")).orThrow();
      System.out.println(client.awaitResult(greet, task, Duration.ofSeconds(30)));
    }
  }
}
