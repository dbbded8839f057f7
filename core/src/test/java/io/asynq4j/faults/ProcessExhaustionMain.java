package io.asynq4j.faults;

import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.TaskServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A producer and a worker in one process that runs short of threads or memory. Started by {@link
 * ProcessExhaustionIT}, which sends commands as lines and gets one line as the answer to each:
 *
 * <ul>
 *   <li>{@code send PREFIX COUNT}: calls enqueueAsync for this many tasks; answers {@code sent}
 *   <li>{@code hog SECONDS PREFIX COUNT}: fills the heap for this time and enqueues tasks
 *       meanwhile; answers {@code released}, with the number of times that memory ran out
 *   <li>{@code accepted PREFIX}: waits for the futures of these tasks; answers the ids of those
 *       that were accepted, and {@code open} for each future without an answer
 *   <li>{@code runs}: answers the ids of the tasks that ran more than once
 * </ul>
 */
final class ProcessExhaustionMain {

  private static final int BLOCK = 1024;

  private final TaskClient client;
  private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
  private final Map<String, List<Call>> calls = new ConcurrentHashMap<>();

  /** A call of enqueueAsync; without a future when the call itself failed. */
  private record Call(String id, @Nullable CompletableFuture<EnqueueResult> future) {}

  private ProcessExhaustionMain(TaskClient client) {
    this.client = client;
  }

  public static void main(String[] arguments) throws Exception {
    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis)) {
      ProcessExhaustionMain process = new ProcessExhaustionMain(client);
      try (TaskServer server =
          ServerFixture.quick(
                  redis,
                  (task, context) -> {
                    process
                        .runs
                        .computeIfAbsent(context.id(), any -> new AtomicInteger())
                        .incrementAndGet();
                    // So that more tasks run at a time than there are threads at first.
                    Thread.sleep(20);
                    return Outcome.done();
                  })
              // More than are started at first.
              .concurrency(64)
              .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)))
              .build()) {
        server.start();
        process.obey();
      }
    }
  }

  private void obey() throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      String answer =
          switch (words[0]) {
            case "send" -> send(words[1], Integer.parseInt(words[2]));
            case "hog" -> hog(Integer.parseInt(words[1]), words[2], Integer.parseInt(words[3]));
            case "accepted" -> accepted(words[1]);
            case "runs" -> ranTwice();
            default -> "unknown command " + line;
          };
      System.out.println(answer);
    }
  }

  private String send(String prefix, int count) {
    List<Call> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      made.add(call(prefix + i));
    }
    calls.put(prefix, made);
    return "sent";
  }

  private Call call(String id) {
    try {
      return new Call(
          id,
          client
              .enqueueAsync(
                  Task.of("t"), o -> o.id(id).retention(Duration.ofHours(1)).maxRetry(1_000))
              .toCompletableFuture());
    } catch (RuntimeException | OutOfMemoryError e) {
      return new Call(id, null);
    }
  }

  /** Everything that this thread needs during the shortage is there before. */
  private String hog(int seconds, String prefix, int count) throws InterruptedException {
    String[] ids = new String[count];
    Call[] made = new Call[count];
    for (int i = 0; i < count; i++) {
      ids[i] = prefix + i;
      made[i] = new Call(ids[i], null);
    }
    Hog hog = new Hog(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    hog.start();
    for (int i = 0; i < count; i++) {
      try {
        // Spreads the calls over the shortage.
        Thread.sleep(seconds * 900L / count);
        made[i] = call(ids[i]);
      } catch (OutOfMemoryError e) {
        // Stays a call that failed.
      }
    }
    hog.join();
    calls.put(prefix, List.of(made));
    return "released " + hog.shortages;
  }

  /** Takes all memory that it can get, again and again, and lets go at the end. */
  private static final class Hog extends Thread {
    private final long endNanos;
    private int shortages;

    Hog(long endNanos) {
      this.endNanos = endNanos;
    }

    @Override
    public void run() {
      byte[][] taken = new byte[1 << 16][];
      int next = 0;
      while (System.nanoTime() < endNanos && next < taken.length) {
        try {
          taken[next] = new byte[BLOCK];
          next++;
        } catch (OutOfMemoryError e) {
          shortages++;
        }
      }
      taken[0] = new byte[0];
    }
  }

  private String accepted(String prefix) throws InterruptedException {
    StringBuilder ids = new StringBuilder();
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    for (Call call : calls.getOrDefault(prefix, List.of())) {
      if (call.future() != null) {
        long left = Math.max(0, endNanos - System.nanoTime());
        ids.append(' ').append(answer(call.id(), call.future(), left));
      }
    }
    return "accepted:" + ids;
  }

  /** The id when the task was accepted, nothing when it was not, and a word without an answer. */
  private static String answer(
      String id, CompletableFuture<EnqueueResult> future, long timeoutNanos)
      throws InterruptedException {
    try {
      return future.get(timeoutNanos, TimeUnit.NANOSECONDS) instanceof EnqueueResult.Enqueued
          ? id
          : "";
    } catch (ExecutionException | CompletionException e) {
      return "";
    } catch (TimeoutException e) {
      return "open";
    }
  }

  private String ranTwice() {
    StringBuilder ids = new StringBuilder();
    runs.forEach(
        (id, count) -> {
          if (count.get() > 1) {
            ids.append(' ').append(id);
          }
        });
    return "twice:" + ids;
  }
}
