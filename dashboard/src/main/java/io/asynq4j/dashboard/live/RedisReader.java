package io.asynq4j.dashboard.live;

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
 * Reads what a look at Redis consists of. Where one server has everything, a read waits for it and
 * fails when it does. In a cluster, a server that does not answer delays and hides only what it
 * has. Used by one thread.
 */
final class RedisReader implements AutoCloseable {

  private static final int HELPERS = 4;

  /** This many queues are worth a helper. */
  private static final int CHUNK = 50;

  private static final long IDLE_SECONDS = 10;

  /**
   * What was read of a queue.
   *
   * @param value null when it could not be read
   * @param problem why not; null when it could
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
    Thread thread = new Thread(task, "asynq-dashboard-look");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Starts to read something that is not of one queue.
   *
   * @return the value, or nothing when a server of a cluster does not answer
   */
  <T> Supplier<Optional<T>> begin(String what, Supplier<T> read) {
    if (serverOf("default").isEmpty()) {
      T value = read.get();
      return () -> Optional.of(value);
    }
    BackgroundReader<T> inBackground = background(what);
    inBackground.begin(found -> found.accept(read.get()));
    return () -> inBackground.take().stream().reduce((earlier, later) -> later);
  }

  private String serverOf(String queue) {
    try {
      return inspector.queue(queue).redisServer();
    } catch (IllegalArgumentException e) {
      // No name of a queue, which reading it reports.
      return "";
    }
  }

  @SuppressWarnings("unchecked") // What is read under one name is always of the same type.
  private <T> BackgroundReader<T> background(String what) {
    return (BackgroundReader<T>)
        background.computeIfAbsent(
            what, any -> new BackgroundReader<>("Redis " + name + ": " + what, threads));
  }

  /** Reads something of each queue. Queues whose server does not answer are missing. */
  <T> Map<String, QueueRead<T>> ofEach(
      String what, Collection<String> queues, Function<String, T> read) {
    Map<String, List<String>> byServer = new LinkedHashMap<>();
    queues.forEach(
        queue -> byServer.computeIfAbsent(serverOf(queue), any -> new ArrayList<>()).add(queue));
    Map<String, QueueRead<T>> answers = new HashMap<>();
    Consumer<QueueRead<T>> keep = answer -> answers.put(answer.queue(), answer);
    List<BackgroundReader<QueueRead<T>>> begun = new ArrayList<>();
    byServer.forEach(
        (server, some) -> {
          if (server.isEmpty()) {
            readWithHelpers(some, read).forEach(keep);
          } else {
            BackgroundReader<QueueRead<T>> ofServer = background(what + " at " + server);
            ofServer.begin(found -> read(some, read, found));
            begun.add(ofServer);
          }
        });
    begun.forEach(ofServer -> ofServer.take().forEach(keep));
    return answers;
  }

  private <T> List<QueueRead<T>> readWithHelpers(List<String> queues, Function<String, T> read) {
    List<Future<List<QueueRead<T>>>> parts = new ArrayList<>();
    for (int from = CHUNK; from < queues.size(); from += CHUNK) {
      List<String> part = queues.subList(from, Math.min(queues.size(), from + CHUNK));
      parts.add(helpers.submit(() -> read(part, read)));
    }
    List<QueueRead<T>> answers = read(queues.subList(0, Math.min(queues.size(), CHUNK)), read);
    for (Future<List<QueueRead<T>>> part : parts) {
      try {
        answers.addAll(part.get());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException cause
            ? cause
            : new IllegalStateException(e.getCause());
      }
    }
    return answers;
  }

  private static <T> List<QueueRead<T>> read(List<String> queues, Function<String, T> read) {
    List<QueueRead<T>> answers = new ArrayList<>(queues.size());
    read(queues, read, answers::add);
    return answers;
  }

  /** One queue that cannot be read hides no other, unless its server is unavailable. */
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
