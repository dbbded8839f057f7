package io.asynq4j.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.broker.EnqueueOperations;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which call sends which tasks, with a sink that answers on request. */
class CallCoalescerTest {

  private final HeldSink sink = new HeldSink();
  private final CallCoalescer calls = new CallCoalescer(new EnqueueSender(sink), 1);

  @Test
  void whatComesWhileACallIsUnderWayGoesTogetherWithTheNext() {
    Caller first = new Caller("1").start();
    await().until(() -> sink.sizes.size() == 1);
    List<Caller> others = List.of(waiting("2"), waiting("3"), waiting("4"));
    sink.answer.countDown();

    assertThat(first.result.join()).isEqualTo(EnqueueReply.ENQUEUED);
    others.forEach(other -> assertThat(other.result.join()).isEqualTo(EnqueueReply.ENQUEUED));
    assertThat(sink.sizes).containsExactly(1, 3);
  }

  @Test
  void aSingleCallerAfterASharedCallDoesNotWaitForOthers() {
    Caller first = new Caller("1").start();
    await().until(() -> sink.sizes.size() == 1);
    List<Caller> others = List.of(waiting("2"), waiting("3"), waiting("4"));
    sink.answer.countDown();
    first.result.join();
    others.forEach(other -> other.result.join());

    for (String alone : List.of("5", "6")) {
      assertThat(new Caller(alone).start().result.join()).isEqualTo(EnqueueReply.ENQUEUED);
    }

    assertThat(sink.sizes).containsExactly(1, 3, 1, 1);
  }

  @Test
  void anInterruptedCallerLeavesUnsentAndDoesNotDelayOthers() {
    Caller first = new Caller("1").start();
    await().until(() -> sink.sizes.size() == 1);
    Caller interrupted = waiting("2");
    Caller other = waiting("3");
    interrupted.thread.interrupt();

    assertThat(interrupted.result.join().failure())
        .isInstanceOf(BrokerUnavailableException.class)
        .hasMessageContaining("not sent");
    sink.answer.countDown();
    assertThat(first.result.join()).isEqualTo(EnqueueReply.ENQUEUED);
    assertThat(other.result.join()).isEqualTo(EnqueueReply.ENQUEUED);
    assertThat(sink.sizes).containsExactly(1, 1);
  }

  @Test
  void aCallThatFailsIsReportedToAllCallersThatSharedIt() {
    Caller first = new Caller("1").start();
    await().until(() -> sink.sizes.size() == 1);
    List<Caller> others = List.of(waiting("2"), waiting("3"));
    sink.failure = new IllegalStateException("out of order");
    sink.answer.countDown();

    first.result.join();
    others.forEach(other -> assertThat(other.result.join().failure()).hasMessage("out of order"));
  }

  @Test
  void afterAnErrorInASharedCallAllAreAnsweredAndTheNextCallsWork() throws Exception {
    Caller first = new Caller("1").start();
    await().until(() -> sink.sizes.size() == 1);
    List<Caller> others = List.of(waiting("2"), waiting("3"), waiting("4"));
    sink.error = new InternalError("made up");
    sink.answer.countDown();

    assertThatThrownBy(() -> first.result.get(20, TimeUnit.SECONDS)).hasRootCause(sink.error);
    // The first in line has made the call for all, so the error is its own.
    assertThatThrownBy(() -> others.get(0).result.get(20, TimeUnit.SECONDS))
        .hasRootCause(sink.error);
    for (Caller other : others.subList(1, 3)) {
      assertThat(other.result.get(20, TimeUnit.SECONDS).failure())
          .isInstanceOfSatisfying(
              BrokerUnavailableException.class,
              failure -> {
                assertThat(failure.mayHaveBeenApplied()).isTrue();
                assertThat(failure).hasCause(sink.error).hasMessageContaining("made up");
              });
    }
    sink.error = null;
    for (String next : List.of("5", "6")) {
      assertThat(new Caller(next).start().result.get(20, TimeUnit.SECONDS))
          .isEqualTo(EnqueueReply.ENQUEUED);
    }
  }

  private Caller waiting(String id) {
    Caller caller = new Caller(id).start();
    await().until(() -> caller.thread.getState() == Thread.State.WAITING);
    return caller;
  }

  private final class Caller {
    private final CompletableFuture<EnqueueReply> result = new CompletableFuture<>();
    private final Thread thread;

    Caller(String id) {
      NewTask task =
          NewTask.of(Task.of("any"), TaskOptions.of(o -> o.id(id)), Instant.ofEpochSecond(0));
      thread = new Thread(() -> send(task));
      thread.setDaemon(true);
    }

    private void send(NewTask task) {
      try {
        result.complete(calls.of(task, DurabilityRequirement.NONE).send(task));
      } catch (RuntimeException | Error e) {
        result.completeExceptionally(e);
      }
    }

    Caller start() {
      thread.start();
      return this;
    }
  }

  private static final class HeldSink implements EnqueueOperations {
    private final List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch answer = new CountDownLatch(1);
    private volatile @Nullable RuntimeException failure;
    private volatile @Nullable Error error;

    @Override
    public List<EnqueueReply> enqueueEach(List<NewTask> tasks, DurabilityRequirement confirmation) {
      sizes.add(tasks.size());
      try {
        answer.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      Error fatal = error;
      if (fatal != null) {
        throw fatal;
      }
      RuntimeException thrown = failure;
      if (thrown != null) {
        throw thrown;
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
