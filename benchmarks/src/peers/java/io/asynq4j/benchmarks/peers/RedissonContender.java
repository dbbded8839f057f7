package io.asynq4j.benchmarks.peers;

import io.asynq4j.benchmarks.compare.Contender;
import io.asynq4j.benchmarks.compare.ContenderCommandLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.redisson.Redisson;
import org.redisson.api.RScheduledExecutorService;
import org.redisson.api.RedissonClient;
import org.redisson.api.WorkerOptions;
import org.redisson.config.Config;

/** Redisson's executor service in the comparison. */
public final class RedissonContender implements Contender {

  private final RedissonClient redisson;
  private final Map<String, RScheduledExecutorService> producers = new ConcurrentHashMap<>();
  private RScheduledExecutorService worker;
  private ExecutorService threads;

  private RedissonContender(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    this.redisson = Redisson.create(config);
  }

  public static void main(String[] arguments) throws Exception {
    ContenderCommandLoop.run(new RedissonContender(arguments[0]));
  }

  @Override
  public String description() {
    return ("Redisson %s; as many workers and threads as the concurrency, execute(Runnable...) for"
            + " many, its default codec, pool and retry interval")
        .formatted(Redisson.class.getPackage().getImplementationVersion());
  }

  @Override
  public void start(String queue, int concurrency, Consumer<String> handler) {
    StaticHandler.set(handler);
    threads = Executors.newFixedThreadPool(concurrency);
    worker = redisson.getExecutorService(queue);
    worker.registerWorkers(WorkerOptions.defaults().workers(concurrency).executorService(threads));
  }

  @Override
  public void stop() {
    if (worker != null) {
      worker.deregisterWorkers();
      threads.shutdown();
      worker = null;
    }
  }

  private RScheduledExecutorService producer(String queue) {
    return producers.computeIfAbsent(queue, redisson::getExecutorService);
  }

  @Override
  public void enqueue(String queue, String text) {
    producer(queue).execute(new RedissonTask(text));
  }

  @Override
  public void enqueueAll(String queue, List<String> texts) {
    producer(queue).execute(texts.stream().map(RedissonTask::new).toArray(Runnable[]::new));
  }

  @Override
  public void schedule(String queue, String text, Instant due, boolean precise) {
    long millis = Math.max(0, Duration.between(Instant.now(), due).toMillis());
    producer(queue).schedule(new RedissonTask(text), millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public long left(String queue) {
    return producer(queue).getTaskCount();
  }

  @Override
  public void close() {
    stop();
    redisson.shutdown();
  }
}
