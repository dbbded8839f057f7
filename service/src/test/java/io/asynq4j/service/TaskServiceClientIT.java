package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.TaskState;
import io.asynq4j.service.auth.ApiKey;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The thin client, against the real service. */
class TaskServiceClientIT {

  @Test
  void tasksAreSubmittedAndAwaited() throws Exception {
    String key = ApiKey.create();
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(
          """
          keys: [ { name: k, hash: "%s", scopes: [submit] } ]
          tasks:
            echo: { kind: cmd, retention: 1h, cmd: { program: /bin/cat } }
          """
              .formatted(ApiKey.hashOf(key)));
      TaskServiceClient client = new TaskServiceClient(URI.create(fixture.url()), key);
      ServiceTask task = client.submit("echo", Map.of("n", 1));
      ServiceTask done = client.await("echo", task.id(), Duration.ofSeconds(20));
      assertThat(done.state()).isEqualTo(TaskState.COMPLETED);
      assertThat(done.result()).isEqualTo("{\"n\":1}");
      ServiceTask later = client.submit("echo", Map.of(), "a/b c", Duration.ofHours(1));
      assertThat(client.find("echo", "a/b c")).isEqualTo(later);
      assertThatThrownBy(() -> client.submit("echo", Map.of(), "a/b c", Duration.ZERO))
          .isInstanceOfSatisfying(
              TaskServiceException.class,
              e -> {
                assertThat(e.status()).isEqualTo(409);
                assertThat(e.code()).isEqualTo("id-taken");
              });
      assertThatThrownBy(() -> client.submit("nobody", Map.of()))
          .isInstanceOfSatisfying(
              TaskServiceException.class, e -> assertThat(e.field()).isEqualTo("name"));
    }
  }
}
