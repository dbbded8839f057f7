package io.asynq4j.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.broker.EnqueueOperations;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sending batches when threads or memory are lacking. */
class AsyncBatcherTest {

  private volatile @Nullable Error noThreads;
  private volatile @Nullable Error noMemory;

  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(4, 4, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::thread);
  private final AsyncBatcher gatherer =
      new AsyncBatcher(new EnqueueSender(new Sink()), queue -> "", shard -> threads);

  @AfterEach
  void close() {
    gatherer.close(Duration.ofSeconds(10));
  }

  private Thread thread(Runnable task) {
    Error error = noThreads;
    if (error != null) {
      throw error;
    }
    Thread thread = new Thread(task, "gatherer-test");
    thread.setDaemon(true);
    return thread;
  }

  @Test
  void withoutThreadsTasksAreRefusedUnsentAndAfterwardsSentAgain() throws Exception {
    noThreads = new InternalError("unable to create native thread");
    for (String id : List.of("1", "2")) {
      assertThat(answer(id).failure())
          .isInstanceOfSatisfying(
              BrokerUnavailableException.class,
              failure -> {
                assertThat(failure.mayHaveBeenApplied()).isFalse();
                assertThat(failure)
                    .hasMessageContaining("no thread could be started")
                    .hasMessageContaining("not sent")
                    .hasCause(noThreads);
              });
    }
    noThreads = null;

    assertThat(answer("3")).isEqualTo(EnqueueReply.ENQUEUED);
  }

  @Test
  void anErrorWhileTasksAreSentIsReportedToTheirCallersAndTheNextAreSent() throws Exception {
    noMemory = new InternalError("made up");
    EnqueueReply lost = answer("2");
    noMemory = null;

    assertThat(lost.failure())
        .isInstanceOfSatisfying(
            BrokerUnavailableException.class,
            failure -> assertThat(failure.mayHaveBeenApplied()).isTrue())
        .hasRootCauseInstanceOf(InternalError.class);
    assertThat(answer("3")).isEqualTo(EnqueueReply.ENQUEUED);
  }

  private EnqueueReply answer(String id) throws Exception {
    NewTask task =
        NewTask.of(Task.of("any"), TaskOptions.of(o -> o.id(id)), Instant.ofEpochSecond(0));
    PendingEnqueue entry = new PendingEnqueue(task);
    gatherer.add(entry, BatchKey.of(task, DurabilityRequirement.NONE));
    try {
      return entry.answer().get(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("task " + id + " was never answered", e);
    }
  }

  private final class Sink implements EnqueueOperations {

    @Override
    public List<EnqueueReply> enqueueEach(List<NewTask> tasks, DurabilityRequirement confirmation) {
      Error error = noMemory;
      if (error != null) {
        throw error;
      }
      return tasks.stream().map(task -> EnqueueReply.ENQUEUED).toList();
    }

    @Override
    public List<EnqueueReply> enqueue(List<NewTask> tasks) {
      return enqueueEach(tasks, DurabilityRequirement.NONE);
    }

    @Override
    public EnqueueOperations uninterrupted() {
      return this;
    }

    @Override
    public String lock(NewTask task) {
      return "";
    }
  }
}
