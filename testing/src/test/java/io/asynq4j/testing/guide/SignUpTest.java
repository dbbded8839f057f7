package io.asynq4j.testing.guide;

import static java.time.Duration.ofHours;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.testing.AsynqTest;
import io.asynq4j.testing.TestQueues;
import org.junit.jupiter.api.Test;

@AsynqTest
class SignUpTest {

  record WelcomeEmail(String address, String language) {}

  static final TaskType<WelcomeEmail> WELCOME_EMAIL =
      TaskType.of("email:welcome", WelcomeEmail.class).with(o -> o.queue("mail"));

  /** The code under test. */
  record SignUp(TaskClient client) {
    void register(String address) {
      client.enqueue(WELCOME_EMAIL, new WelcomeEmail(address, "en"), o -> o.processIn(ofHours(24)));
    }
  }

  @Test
  void welcomesNewUsersAfterADay(TaskClient client, TestQueues tasks) {
    new SignUp(client).register("ada@example.com");

    tasks
        .assertEnqueued(WELCOME_EMAIL)
        .with(mail -> mail.language().equals("en"))
        .inQueue("mail")
        .dueIn(ofHours(24))
        .once();
  }

  @Test
  void sendsTheEmail(TaskClient client, TestQueues tasks) {
    StringBuilder sent = new StringBuilder();
    tasks.handlers(
        Mux.builder().run(WELCOME_EMAIL, (mail, context) -> sent.append(mail.address())).build());
    new SignUp(client).register("ada@example.com");

    tasks.advance(ofHours(24));
    tasks.drain().assertSucceeded();

    assertEquals("ada@example.com", sent.toString());
  }
}
