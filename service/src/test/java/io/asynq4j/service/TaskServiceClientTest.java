package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.AsynqException;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Errors of the client and of the configuration. */
class TaskServiceClientTest {

  @Test
  void aServiceThatDoesNotRespondIsReportedWithItsUrlAndTheCause() {
    TaskServiceClient client = new TaskServiceClient(URI.create("http://127.0.0.1:1/"), null);

    assertThatThrownBy(() -> client.submit("echo", Map.of()))
        .isInstanceOfSatisfying(
            TaskServiceException.class,
            e -> {
              assertThat(e.status()).isZero();
              assertThat(e.code()).isEqualTo("unavailable");
              assertThat(e.field()).isEmpty();
            })
        .hasMessageStartingWith("the task service at http://127.0.0.1:1/ does not respond: ")
        .hasMessageEndingWith("; retry, or check its URL")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void theExceptionsOfTheServiceHaveTheBaseOfAllOthers() {
    assertThat(new TaskServiceException(409, "id-taken", "id", "taken"))
        .isInstanceOf(AsynqException.class);
    assertThat(new ConfigurationException(List.of())).isInstanceOf(AsynqException.class);
  }
}
