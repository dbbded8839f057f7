package io.asynq4j.client;

import io.asynq4j.Durability;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
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

/** Enqueues with a time limit and a durability for each call. Thread-safe. */
final class DispatchingEnqueuer implements Enqueuer {

  private static final long PAUSE_WITHOUT_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final EnqueueMapper mapper;
  private final EnqueueDispatcher dispatcher;
  private final Executor callbacks;
  private final CallOptions options;

  DispatchingEnqueuer(
      EnqueueMapper mapper, EnqueueDispatcher dispatcher, Executor callbacks, CallOptions options) {
    this.mapper = mapper;
    this.dispatcher = dispatcher;
    this.callbacks = callbacks;
    this.options = options;
  }

  @Override
  public EnqueueResult enqueue(EnqueueRequest request) {
    NewTask task = mapper.prepare(request);
    EnqueueReply answer = dispatcher.send(List.of(task), options).get(0);
    return mapper.result(task, answer, options.durability());
  }

  @Override
  public CompletionStage<EnqueueResult> enqueueAsync(EnqueueRequest request) {
    CompletableFuture<EnqueueResult> result = new CompletableFuture<>();
    try {
      NewTask task = mapper.prepare(request);
      CompletableFuture<Void> unused =
          dispatcher.sendAsync(task, options).thenAccept(answer -> complete(result, task, answer));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  /** Dependent actions of the stage are user code, so they must not run on a sending thread. */
  private void complete(CompletableFuture<EnqueueResult> stage, NewTask task, EnqueueReply answer) {
    try {
      callbacks.execute(() -> completeNow(stage, task, answer));
    } catch (Throwable e) {
      // The client is closed, the executor rejects the call, or no thread can be started. The stage
      // must complete anyway.
      completeNow(stage, task, answer);
    }
  }

  /** Retries while there is no memory for a result, because nothing else completes the stage. */
  private void completeNow(
      CompletableFuture<EnqueueResult> stage, NewTask task, EnqueueReply answer) {
    while (!stage.isDone()) {
      try {
        try {
          stage.complete(mapper.result(task, answer, options.durability()));
        } catch (RuntimeException e) {
          stage.completeExceptionally(new CompletionException(e));
        }
      } catch (OutOfMemoryError e) {
        LockSupport.parkNanos(PAUSE_WITHOUT_MEMORY_NANOS);
      }
    }
  }

  @Override
  public List<EnqueueResult> enqueueAll(List<EnqueueRequest> requests) {
    @Nullable EnqueueResult[] results = new EnqueueResult[requests.size()];
    List<NewTask> tasks = new ArrayList<>(requests.size());
    List<Integer> places = new ArrayList<>(requests.size());
    for (int i = 0; i < results.length; i++) {
      try {
        tasks.add(mapper.prepare(requests.get(i)));
        places.add(i);
      } catch (RuntimeException e) {
        results[i] = new EnqueueResult.Failed(e);
      }
    }
    if (!tasks.isEmpty()) {
      List<EnqueueReply> answers = dispatcher.send(tasks, options);
      for (int i = 0; i < places.size(); i++) {
        results[places.get(i)] =
            mapper.resultOfMany(tasks.get(i), answers.get(i), options.durability());
      }
    }
    return Arrays.asList(results);
  }

  DispatchingEnqueuer within(Duration limit) {
    return with(new CallOptions(limit, options.confirmation()));
  }

  DispatchingEnqueuer durably(Durability durability) {
    DurabilityRequirement given = options.confirmation();
    return with(
        new CallOptions(
            options.limit(),
            new DurabilityRequirement(durability, given.replicas(), given.within())));
  }

  private DispatchingEnqueuer with(CallOptions changed) {
    return new DispatchingEnqueuer(mapper, dispatcher, callbacks, changed);
  }
}
