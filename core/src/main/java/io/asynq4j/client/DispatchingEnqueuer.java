package io.asynq4j.client;

import io.asynq4j.Durability;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.client.CallOptions;
import io.asynq4j.internal.client.EnqueueDispatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Enqueues under certain terms. */
final class DispatchingEnqueuer implements Enqueuer {

  private static final long PAUSE_WITHOUT_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final EnqueueMapper intake;
  private final EnqueueDispatcher dispatcher;
  private final Executor callbacks;
  private final CallOptions terms;

  DispatchingEnqueuer(
      EnqueueMapper intake, EnqueueDispatcher dispatcher, Executor callbacks, CallOptions terms) {
    this.intake = intake;
    this.dispatcher = dispatcher;
    this.callbacks = callbacks;
    this.terms = terms;
  }

  @Override
  public EnqueueResult enqueue(EnqueueRequest request) {
    NewTask task = intake.prepare(request);
    EnqueueReply answer = dispatcher.send(List.of(task), terms).get(0);
    return intake.result(task, answer, terms.durability());
  }

  @Override
  public CompletionStage<EnqueueResult> enqueueAsync(EnqueueRequest request) {
    CompletableFuture<EnqueueResult> result = new CompletableFuture<>();
    try {
      NewTask task = intake.prepare(request);
      CompletableFuture<Void> unused =
          dispatcher.sendAsync(task, terms).thenAccept(answer -> complete(result, task, answer));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  /** What hangs on the stage is not ours, so it must not run on a thread that sends. */
  private void complete(CompletableFuture<EnqueueResult> stage, NewTask task, EnqueueReply answer) {
    try {
      callbacks.execute(() -> completeNow(stage, task, answer));
    } catch (Throwable e) {
      // Closed meanwhile, the caller's executor has had enough, or no thread can be started: nobody
      // must wait for ever.
      completeNow(stage, task, answer);
    }
  }

  /** Tries again while there is no memory for a result, since nobody else would complete it. */
  private void completeNow(
      CompletableFuture<EnqueueResult> stage, NewTask task, EnqueueReply answer) {
    while (!stage.isDone()) {
      try {
        completeOnce(stage, task, answer);
      } catch (OutOfMemoryError e) {
        LockSupport.parkNanos(PAUSE_WITHOUT_MEMORY_NANOS);
      }
    }
  }

  private void completeOnce(
      CompletableFuture<EnqueueResult> stage, NewTask task, EnqueueReply answer) {
    EnqueueResult result;
    try {
      result = intake.result(task, answer, terms.durability());
    } catch (RuntimeException e) {
      stage.completeExceptionally(new CompletionException(e));
      return;
    }
    stage.complete(result);
  }

  @Override
  public List<EnqueueResult> enqueueAll(List<EnqueueRequest> requests) {
    @Nullable EnqueueResult[] results = new EnqueueResult[requests.size()];
    List<NewTask> tasks = new ArrayList<>(requests.size());
    List<Integer> places = new ArrayList<>(requests.size());
    for (int i = 0; i < results.length; i++) {
      try {
        tasks.add(intake.prepare(requests.get(i)));
        places.add(i);
      } catch (RuntimeException e) {
        results[i] = new EnqueueResult.Failed(e);
      }
    }
    if (!tasks.isEmpty()) {
      List<EnqueueReply> answers = dispatcher.send(tasks, terms);
      for (int i = 0; i < places.size(); i++) {
        results[places.get(i)] =
            intake.resultOfMany(tasks.get(i), answers.get(i), terms.durability());
      }
    }
    return Arrays.asList(results);
  }

  DispatchingEnqueuer within(Duration limit) {
    return new DispatchingEnqueuer(intake, dispatcher, callbacks, terms.within(limit));
  }

  DispatchingEnqueuer durably(Durability durability) {
    return new DispatchingEnqueuer(intake, dispatcher, callbacks, terms.durably(durability));
  }
}
