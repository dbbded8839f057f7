package io.asynq4j.spring.boot.guide;

import io.asynq4j.client.TaskClient;
import io.asynq4j.spring.TaskHandler;
import io.asynq4j.spring.TaskTypes;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

@SpringBootApplication
public class Hello {

  record Greeting(String name) {}

  @Component
  static class Greetings {

    @TaskHandler("greet")
    void greet(Greeting greeting) {
      System.out.println("Hello, " + greeting.name() + "!");
    }
  }

  @Bean
  ApplicationRunner greetWorld(TaskClient client, TaskTypes types) {
    return args -> client.enqueue(types.of(Greeting.class), new Greeting("world")).orThrow();
  }

  public static void main(String[] args) {
    SpringApplication.run(Hello.class, args);
  }
}
