package io.asynq4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** Properties of queues that Spring Boot would change or ignore. */
class QueueNamesTest {

  private static void check(String property) {
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty(property, "2");
    QueueNames.requireUnchanged(environment);
  }

  private static ThrowableAssertAlternative<?> assertRefused(String property) {
    return assertThatExceptionOfType(InvalidAsynqSettingException.class)
        .isThrownBy(() -> check(property));
  }

  @Test
  void refusesNamesThatWouldLoseCharacters() {
    for (String name : List.of("mail_eu", "mail:eu", "mail eu")) {
      assertRefused("asynq4j.server.queues." + name + ".weight")
          .withMessageContaining("the name of the queue \"" + name + "\"")
          .withMessageContaining("queues.[" + name + "]");
    }
  }

  @Test
  void refusesSettingsThatWouldBeIgnored() {
    for (String property :
        List.of(
            "asynq4j.server.queues.mail.eu.weight",
            "asynq4j.server.queues.mail.wieght",
            "asynq4j.servers.main.queues.[mail_eu].max")) {
      assertRefused(property)
          .withMessageContaining(property + " is no setting of a queue")
          .withMessageContaining("queues.[mail.eu].weight");
    }
  }

  @Test
  void acceptsAllOther() {
    for (String property :
        List.of(
            "asynq4j.server.queues.[mail_eu].weight",
            "asynq4j.server.queues.[mail.eu].maxActive",
            "asynq4j.servers.some_server.queues.mail-eu.rate-limit",
            "asynq4j.servers.[a.b].queues.mail.rate_limit",
            "asynq4j.servers[a.b].queues[mail.eu].burst",
            "ASYNQ4J_SERVER_QUEUES_MAIL_WEIGHT",
            "asynq4j.server.concurrency")) {
      assertThatCode(() -> check(property)).as(property).doesNotThrowAnyException();
    }
  }
}
