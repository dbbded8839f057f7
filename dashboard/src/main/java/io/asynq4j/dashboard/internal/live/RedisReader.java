package io.asynq4j.dashboard.internal.live;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.inspect.Inspector;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads parts of a Redis, in parallel. With one Redis server, a read waits for it and fails with
 * it. In a cluster, a node that does not respond delays and hides only its own data. Used by one
 * thread.
 */
final class RedisReader implements AutoCloseable {

  private static final int HELPERS = 4;

  /** Number of queues that one thread reads. */
  private static final int CHUNK = 50;

  private static final long IDLE_SECONDS = 10;

  /**
   * The value read from a queue.
   *
   * @param value null if it could not be read
   * @param problem why it could not be read; null if it could
   */
  record QueueRead<T>(String queue, @Nullable T value, @Nullable String problem) {}

  private final Inspector inspector;
  private final String name;
  private final Map<String, BackgroundReader<?>> background = new HashMap<>();
  private final ExecutorService helpers =
      Executors.newFixedThreadPool(HELPERS, RedisReader::daemon);
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          RedisReader::daemon);

  RedisReader(Inspector inspector, String name) {
    this.inspector = inspector;
    this.name = name;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-dashboard-read");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Starts to read a value that does not belong to one queue.
   *
   * @return waits for the value; empty if a node of a cluster does not respond
   */
  <T> Supplier<Optional<T>> start(String what, Supplier<T> read) {
    if (serverOf("default").isEmpty()) {
      T value = read.get();
      return () -> Optional.of(value);
    }
    BackgroundReader<T> inBackground = background(what);
    inBackground.start(found -> found.accept(read.get()));
    return () -> inBackground.take().stream().reduce((earlier, later) -> later);
  }

  private String serverOf(String queue) {
    try {
      return inspector.queue(queue).redisServer();
    } catch (IllegalArgumentException e) {
      // Not a valid queue name; reading the queue reports that.
      return "";
    }
  }

  @SuppressWarnings("unchecked") // All values read under one name have the same type.
  private <T> BackgroundReader<T> background(String what) {
    return (BackgroundReader<T>)
        background.computeIfAbsent(
            what, any -> new BackgroundReader<>("Redis " + name + ": " + what, threads));
  }

  /** Reads a value from each queue. Queues whose node does not respond are missing. */
  <T> Map<String, QueueRead<T>> readEach(
      String what, Collection<String> queues, Function<String, T> read) {
    Map<String, List<String>> byServer = new LinkedHashMap<>();
    queues.forEach(
        queue -> byServer.computeIfAbsent(serverOf(queue), any -> new ArrayList<>()).add(queue));
    Map<String, QueueRead<T>> results = new HashMap<>();
    Consumer<QueueRead<T>> keep = result -> results.put(result.queue(), result);
    List<BackgroundReader<QueueRead<T>>> started = new ArrayList<>();
    byServer.forEach(
        (server, some) -> {
          if (server.isEmpty()) {
            readWithHelpers(some, read).forEach(keep);
          } else {
            BackgroundReader<QueueRead<T>> ofServer = background(what + " at " + server);
            ofServer.start(found -> read(some, read, found));
            started.add(ofServer);
          }
        });
    started.forEach(ofServer -> ofServer.take().forEach(keep));
    return results;
  }

  private <T> List<QueueRead<T>> readWithHelpers(List<String> queues, Function<String, T> read) {
    List<Future<List<QueueRead<T>>>> parts = new ArrayList<>();
    for (int from = CHUNK; from < queues.size(); from += CHUNK) {
      List<String> part = queues.subList(from, Math.min(queues.size(), from + CHUNK));
      parts.add(helpers.submit(() -> read(part, read)));
    }
    List<QueueRead<T>> results = read(queues.subList(0, Math.min(queues.size(), CHUNK)), read);
    for (Future<List<QueueRead<T>>> part : parts) {
      try {
        results.addAll(part.get());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while reading queues", e);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException cause
            ? cause
            : new IllegalStateException(e.getCause());
      }
    }
    return results;
  }

  private static <T> List<QueueRead<T>> read(List<String> queues, Function<String, T> read) {
    List<QueueRead<T>> results = new ArrayList<>(queues.size());
    read(queues, read, results::add);
    return results;
  }

  /** A queue that cannot be read does not hide others, unless its node is unavailable. */
  private static <T> void read(
      List<String> queues, Function<String, T> read, Consumer<QueueRead<T>> found) {
    for (String queue : queues) {
      try {
        found.accept(new QueueRead<>(queue, read.apply(queue), null));
      } catch (BrokerUnavailableException e) {
        throw e;
      } catch (RuntimeException e) {
        String why = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
        found.accept(new QueueRead<>(queue, null, why));
      }
    }
  }

  @Override
  public void close() {
    helpers.shutdownNow();
    threads.shutdownNow();
  }
}
