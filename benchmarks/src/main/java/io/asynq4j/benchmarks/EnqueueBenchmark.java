package io.asynq4j.benchmarks;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import redis.clients.jedis.Jedis;

/**
 * How many tasks a second a client takes in, against bare calls of the same script by as many bare
 * clients. Rounds of all shapes take turns, so that a noisy machine is noisy to all; only the
 * ratios are of use.
 */
public final class EnqueueBenchmark {

  private static final int WARM_UP = 2;
  private static final int ROUNDS = 3;
  private static final int BATCH = 100;
  private static final int MANY = 1_000;

  /** A load: every thread does its work again and again; the work says how many tasks it was. */
  private record Shape(String name, int threads, boolean virtual, IntFunction<Work> work) {}

  private interface Work extends AutoCloseable {
    int run();

    @Override
    default void close() {}
  }

  private final Lab lab;
  private final long roundNanos;
  private final Task task = Task.of("benchmark:task", Payload.of(new byte[Stock.PAYLOAD_BYTES]));
  private final Map<String, Double> rates = new LinkedHashMap<>();
  private TaskOptions options = TaskOptions.defaults();

  private EnqueueBenchmark(Lab lab, long roundMillis) {
    this.lab = lab;
    this.roundNanos = roundMillis * 1_000_000;
  }

  /** {@code --quick} only shows that it works, {@code --sweep} compares numbers of own calls. */
  public static void main(String[] arguments) {
    List<String> given = List.of(arguments);
    boolean quick = given.contains("--quick");
    System.out.println((given.contains("--sweep") ? sweep(quick) : run(quick)).markdown());
  }

  static Report run(boolean quick) {
    try (Lab lab = Lab.open(null)) {
      EnqueueBenchmark benchmark = new EnqueueBenchmark(lab, quick ? 20 : 600);
      Table table = benchmark.compare();
      return new Report(environment(), List.of(table), benchmark.bars());
    }
  }

  private static Report sweep(boolean quick) {
    try (Lab lab = Lab.open(null)) {
      EnqueueBenchmark benchmark = new EnqueueBenchmark(lab, quick ? 20 : 400);
      return new Report(environment(), List.of(benchmark.sweep()), List.of());
    }
  }

  private static Map<String, String> environment() {
    return Map.of(
        "Java", System.getProperty("java.vm.version"),
        "processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
  }

  private Table compare() {
    try (TaskClient client = TaskClient.create(lab.connection())) {
      List<Shape> shapes = new ArrayList<>();
      for (int threads : List.of(1, 10)) {
        shapes.add(new Shape("bare, " + threads, threads, false, i -> bare(1, true)));
        shapes.add(new Shape("bare, no number, " + threads, threads, false, i -> bare(1, false)));
        shapes.add(new Shape("enqueue, " + threads, threads, false, i -> enqueue(client)));
      }
      shapes.add(new Shape("enqueue, 100", 100, false, i -> enqueue(client)));
      if (virtualThreads().isPresent()) {
        shapes.add(new Shape("enqueue, 500 virtual", 500, true, i -> enqueue(client)));
      } else {
        shapes.add(new Shape("enqueue, 500 platform", 500, false, i -> enqueue(client)));
      }
      shapes.add(new Shape("enqueueAsync, 1", 1, false, i -> async(client)));
      shapes.add(new Shape("enqueueAsync, 10", 10, false, i -> async(client)));
      shapes.add(new Shape("bare batches of 100, 1", 1, false, i -> bare(BATCH, true)));
      shapes.add(new Shape("bare batches of 50, 1", 1, false, i -> bare(BATCH / 2, true)));
      shapes.add(new Shape("enqueueAll of 1000, 1", 1, false, i -> all(client)));
      measure(shapes);
    }
    List<List<Object>> rows = new ArrayList<>();
    rates.forEach((name, rate) -> rows.add(List.of(name, rate, rate / rate("bare, 1"))));
    return new Table(
        "Enqueueing", List.of("who, threads", "tasks/s", "times one bare client"), rows);
  }

  private List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    bars.add(bar("one thread at least 0.9 of a bare client", 0.9, "bare, 1", "enqueue, 1"));
    bars.add(bar("ten threads at least 0.9 of ten bare clients", 0.9, "bare, 10", "enqueue, 10"));
    String crowd =
        rates.containsKey("enqueue, 500 virtual")
            ? "enqueue, 500 virtual"
            : "enqueue, 500 platform";
    bars.add(bar("500 threads at least as ten", 1, "enqueue, 10", crowd));
    bars.add(
        bar("enqueueAll at least 8 times one by one", 8, "enqueue, 1", "enqueueAll of 1000, 1"));
    bars.add(
        bar(
            "enqueueAll at least 0.8 of bare batches",
            0.8,
            "bare batches of 100, 1",
            "enqueueAll of 1000, 1"));
    return bars;
  }

  /** How much is missing: the base, by what is asked of it, over what was reached. */
  private Bar bar(String what, double factor, String base, String reached) {
    return new Bar(what, factor * rate(base) / rate(reached), 1);
  }

  private double rate(String name) {
    Double rate = rates.get(name);
    if (rate == null) {
      throw new IllegalStateException("not measured: " + name);
    }
    return rate;
  }

  /** How the number of calls that callers make themselves matters. */
  private Table sweep() {
    List<List<Object>> rows = new ArrayList<>();
    List<TaskClient> clients = new ArrayList<>();
    List<Shape> shapes = new ArrayList<>();
    for (int calls : List.of(1, 2, 4, 8, 12, 16)) {
      TaskClient client = TaskClient.builder(lab.connection()).maxCalls(calls).build();
      clients.add(client);
      for (int threads : List.of(4, 10, 100, 500)) {
        boolean virtual = threads == 500 && virtualThreads().isPresent();
        shapes.add(new Shape(calls + " of " + threads, threads, virtual, i -> enqueue(client)));
      }
    }
    measure(shapes);
    clients.forEach(TaskClient::close);
    rates.forEach((name, rate) -> rows.add(List.of(name, rate)));
    return new Table("Own calls", List.of("own calls of threads", "tasks/s"), rows);
  }

  private void measure(List<Shape> shapes) {
    for (int round = 0; round < WARM_UP + ROUNDS; round++) {
      for (Shape shape : shapes) {
        lab.clear();
        String queue = lab.newQueue().value();
        options = TaskOptions.of(o -> o.queue(queue));
        double rate = measure(shape);
        if (round >= WARM_UP) {
          rates.merge(shape.name(), rate / ROUNDS, Double::sum);
        }
      }
    }
    lab.clear();
  }

  private double measure(Shape shape) {
    ExecutorService threads =
        shape.virtual()
            ? virtualThreads().orElseThrow()
            : Executors.newFixedThreadPool(shape.threads());
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < shape.threads(); i++) {
      works.add(shape.work().apply(i));
    }
    CountDownLatch begin = new CountDownLatch(1);
    List<Future<Long>> counts = new ArrayList<>();
    for (Work work : works) {
      counts.add(
          threads.submit(
              () -> {
                begin.await();
                long until = System.nanoTime() + roundNanos;
                long count = 0;
                do {
                  count += work.run();
                } while (System.nanoTime() < until);
                return count;
              }));
    }
    long started = System.nanoTime();
    begin.countDown();
    long total = 0;
    try {
      for (Future<Long> count : counts) {
        total += count.get();
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException("a caller failed", e);
    }
    double rate = total * 1e9 / (System.nanoTime() - started);
    threads.shutdown();
    works.forEach(Work::close);
    return rate;
  }

  private Work enqueue(TaskClient client) {
    TaskOptions mine = options;
    return () -> {
      client.enqueue(task, mine).orThrow();
      return 1;
    };
  }

  private Work async(TaskClient client) {
    TaskOptions mine = options;
    return () -> {
      List<CompletionStage<EnqueueResult>> stages = new ArrayList<>(MANY);
      for (int i = 0; i < MANY; i++) {
        stages.add(client.enqueueAsync(task, mine));
      }
      stages.forEach(stage -> stage.toCompletableFuture().join().orThrow());
      return MANY;
    };
  }

  private Work all(TaskClient client) {
    TaskOptions mine = options;
    return () -> {
      List<EnqueueRequest> requests = new ArrayList<>(MANY);
      for (int i = 0; i < MANY; i++) {
        requests.add(EnqueueRequest.of(task, mine));
      }
      client.enqueueAll(requests).forEach(EnqueueResult::orThrow);
      return MANY;
    };
  }

  private Work bare(int batch, boolean numbered) {
    Jedis redis = lab.newClient();
    Stock stock = new Stock(lab);
    RawScript script =
        new RawScript(
            redis,
            "enqueue",
            stock,
            List.of("pending", "lane:" + System.identityHashCode(redis), "guard"));
    return new Work() {
      private long number;

      @Override
      public int run() {
        script.call(numbered ? Long.toString(++number) : "", LaneCost.newTasks(batch));
        return batch;
      }

      @Override
      public void close() {
        redis.close();
      }
    };
  }

  private static Optional<ExecutorService> virtualThreads() {
    try {
      return Optional.of(
          (ExecutorService)
              Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
    } catch (ReflectiveOperationException e) {
      return Optional.empty();
    }
  }
}
