package io.asynq4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** An enqueuer without Redis, such as an outbox or a fake. */
class EnqueuerTest {

  private record Mail(String to) {}

  private static final TaskType<Mail> MAIL =
      TaskType.of("mail", Mail.class).with(o -> o.queue("mail").maxRetry(5));
  private static final TaskType<Void> CLEANUP =
      TaskType.of("cleanup").with(o -> o.queue("low").maxRetry(1));

  private final List<EnqueueRequest> requests = new ArrayList<>();

  private final Enqueuer outbox =
      request -> {
        TaskOptions options = request.options();
        Task task = request.task(PayloadCodec.json());
        requests.add(request);
        QueueName queue = options.queue() == null ? QueueName.DEFAULT : options.queue();
        return new EnqueueResult.Deferred(
            TaskInfo.builder("1", queue, task.type()).payload(task.payload()).build());
      };

  private EnqueueRequest last() {
    return requests.get(requests.size() - 1);
  }

  @Test
  void aRequestOfATypeIsReadable() {
    TaskInfo info = outbox.enqueue(MAIL, new Mail("a@b.c"), o -> o.maxRetry(1)).orThrow();

    assertThat(info.queue()).isEqualTo(QueueName.of("mail"));
    assertThat(info.payload().utf8()).isEqualTo("{\"to\":\"a@b.c\"}");
    assertThat(last().type()).isEqualTo("mail");
    assertThat(last().taskType()).contains(MAIL);
    assertThat(last().input()).isEqualTo(new Mail("a@b.c"));
    assertThat(last().options().maxRetry()).isEqualTo(1);
    assertThat(last()).hasToString("EnqueueRequest[mail]");
  }

  @Test
  void aRequestOfATaskIsReadable() {
    Task task = Task.of("t", Payload.ofUtf8("p"));

    outbox.enqueue(task, o -> o.queue("q"));

    assertThat(last().type()).isEqualTo("t");
    assertThat(last().taskType()).isEmpty();
    assertThat(last().input()).isEqualTo(Payload.ofUtf8("p"));
    assertThat(last().task(PayloadCodec.json())).isEqualTo(task);
  }

  @Test
  void aTypeWithoutInputTakesOptionsOfTheCall() {
    outbox.enqueue(CLEANUP, TaskOptions.of(o -> o.processIn(Duration.ofMinutes(1))));

    assertThat(last().options())
        .isEqualTo(
            TaskOptions.of(o -> o.queue("low").maxRetry(1).processIn(Duration.ofMinutes(1))));
    assertThat(last().input()).isNull();
    assertThat(last().task(PayloadCodec.json())).isEqualTo(Task.of("cleanup"));

    outbox.enqueue(CLEANUP.with(o -> o.maxRetry(2)));

    assertThat(last().options().maxRetry()).isEqualTo(2);
  }

  @Test
  @SuppressWarnings("NullAway") // what the compiler of a user may not see
  void whatIsNotImplementedUsesEnqueue() throws Exception {
    assertThat(outbox.enqueueAsync(CLEANUP).toCompletableFuture().get().isAccepted()).isTrue();
    assertThatThrownBy(() -> outbox.enqueueAsync(MAIL, null).toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class);

    List<EnqueueResult> results =
        outbox.enqueueAll(
            List.of(
                EnqueueRequest.of(CLEANUP),
                EnqueueRequest.of(Task.of("t"), o -> o.maxRetry(-1)),
                EnqueueRequest.of(Task.of("u"))));

    assertThat(results.get(0).isAccepted()).isTrue();
    assertThat(results.get(1)).isInstanceOf(EnqueueResult.Failed.class);
    assertThat(results.get(2).isAccepted()).isTrue();
  }

  @Test
  @SuppressWarnings("NullAway") // what the compiler of a user may not see
  void aRequestWithoutTaskFailsWhenItIsRead() {
    EnqueueRequest request = EnqueueRequest.of((Task) null);

    assertThatNullPointerException().isThrownBy(() -> request.task(PayloadCodec.json()));
    assertThat(request).hasToString("EnqueueRequest[no task]");
  }
}
