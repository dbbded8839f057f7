package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.client.TaskClient;
import io.asynq4j.spring.boot.test.AsynqSliceTest;
import io.asynq4j.testing.TestQueues;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The test kit in the application context, with the JUnit of Spring Boot. */
@SpringBootTest
@AsynqSliceTest
class OrderMailTest {

  @Autowired private TaskClient client;
  @Autowired private Mailer mailer;
  @Autowired private TestQueues tasks;

  @Test
  void anOrderIsConfirmedAfterOneFailure() {
    mailer.failFor(7, 1);
    client.enqueue(OrderMail.TYPE, new OrderMail(7, "Ada", List.of("tea"), Instant.EPOCH));
    tasks.assertEnqueued(OrderMail.TYPE).inQueue("mail").once();

    tasks.drain().recursively();
    assertThat(mailer.sent()).isEmpty();
    tasks.advance(Duration.ofHours(1)).drain();

    assertThat(mailer.sent()).containsKey(7L);
  }
}
