package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.client.TaskClient;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;

/** Methods combine the tasks of groups. */
class AggregatorsIT {

  record Notification(String text) {}

  record Digest(String group, List<String> texts) {}

  static class Digests {

    static final BlockingQueue<String> SENT = new LinkedBlockingQueue<>();

    @Bean
    TaskServerDefinition server() {
      return TaskServerDefinition.of("default").with(s -> s.groups(groups -> groups.maxSize(2)));
    }

    @TaskAggregator(type = "notification")
    Digest digest(List<Notification> notifications, String group) {
      return new Digest(group, notifications.stream().map(Notification::text).toList());
    }

    @TaskAggregator(group = "raw:*")
    Task raw(List<Task> tasks) {
      String joined = String.join("+", tasks.stream().map(task -> task.payload().utf8()).toList());
      return Task.of("joined", Payload.ofUtf8(joined));
    }

    @TaskHandler("digest")
    void send(Digest digest) {
      SENT.add(digest.group() + digest.texts());
    }

    @TaskHandler("joined")
    void joined(Task task) {
      SENT.add(task.payload().utf8());
    }
  }

  @Test
  void groupsAreCombinedByTypeAndByName() throws InterruptedException {
    try (TestApp app = TestApp.start(Digests.class)) {
      TaskClient client = app.bean(TaskClient.class);
      for (String text : List.of("a", "b")) {
        client.enqueue(
            app.types().of(Notification.class), new Notification(text), o -> o.group("ada"));
      }
      assertThat(Digests.SENT.take()).isIn("ada[a, b]", "ada[b, a]");
      for (String text : List.of("c", "d")) {
        client.enqueue(Task.of("any", Payload.ofUtf8(text)), o -> o.group("raw:1"));
      }
      assertThat(Digests.SENT.take()).isIn("c+d", "d+c");
    }
  }
}
