package com.example.shop;

import io.asynq4j.RetryPolicy;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Sends a mail for each order. Nothing here is more than a user would write. */
@SpringBootApplication
public class ShopApplication {

  public static void main(String[] arguments) {
    SpringApplication.run(ShopApplication.class, arguments);
  }

  @Bean
  RedisConnection redisConnection(@Value("${shop.redis}") String url) {
    return RedisConnection.open(url);
  }

  @Bean
  TaskClient taskClient(RedisConnection redis) {
    return TaskClient.create(redis);
  }

  @Bean(initMethod = "start", destroyMethod = "stop")
  TaskServer taskServer(RedisConnection redis, Mailer mailer) {
    return TaskServer.builder(redis)
        .queue("mail", 1)
        .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(200)))
        .handlers(Mux.builder().run(OrderMail.TYPE, (mail, context) -> mailer.send(mail)).build())
        .build();
  }

  @Bean
  Mailer mailer() {
    return new Mailer();
  }
}
