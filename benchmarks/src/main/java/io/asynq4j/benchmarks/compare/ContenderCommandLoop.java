package io.asynq4j.benchmarks.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A process of the comparison: reads one command per line from its input and answers each with a
 * line, until the input ends. The programs in Go and for Node implement the commands that they are
 * sent.
 *
 * <pre>
 * fill QUEUE TASKS                        filled
 * serve QUEUE CONCURRENCY                 serving; handlers do nothing
 * drained QUEUE TASKS                     drained NANOS; since the first of these tasks was started
 * hold QUEUE CONCURRENCY                  serving, then S for each task; handlers never return
 * stop                                    stopped; the worker has ended
 * enqueue QUEUE PRODUCERS TASKS           took NANOS
 * batch QUEUE TASKS SIZE                  took NANOS
 * pickup QUEUE SAMPLES LIMIT WARMUP       times NANOS,NANOS,...; at most LIMIT ms, after WARMUP ms
 * due QUEUE TASKS LEAD SPAN [precise]     times NANOS,NANOS,...; due within SPAN ms, after LEAD ms
 * clear                                   cleared
 * </pre>
 */
public final class ContenderCommandLoop {

  private static final int PAYLOAD_CHARACTERS = 200;
  private static final int STAMP_DIGITS = 19;
  private static final int FILL = 1_000;

  private final Contender contender;
  private final PrintStream out;
  private final AtomicLong handled = new AtomicLong();
  private final AtomicLong firstNanos = new AtomicLong();

  private ContenderCommandLoop(Contender contender, PrintStream out) {
    this.contender = contender;
    this.out = out;
  }

  /** Reports that it is ready, and executes commands until the input ends. */
  public static void run(Contender contender) throws Exception {
    // Output of libraries must not be taken for answers.
    PrintStream answers = System.out;
    System.setOut(System.err);
    try (contender;
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      ContenderCommandLoop loop = new ContenderCommandLoop(contender, answers);
      loop.print(
          "ready %s, Java %s".formatted(contender.description(), Runtime.version().feature()));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        loop.execute(line.split(" ", -1));
      }
    }
  }

  private synchronized void print(String line) {
    out.println(line);
    out.flush();
  }

  private void execute(String[] words) throws Exception {
    switch (words[0]) {
      case "fill" -> fill(words[1], number(words, 2));
      case "serve" -> serve(words[1], number(words, 2));
      case "drained" -> drained(words[1], number(words, 2));
      case "hold" -> hold(words[1], number(words, 2));
      case "stop" -> {
        contender.stop();
        print("stopped");
      }
      case "enqueue" -> enqueue(words[1], number(words, 2), number(words, 3));
      case "batch" -> batch(words[1], number(words, 2), number(words, 3));
      case "pickup" -> pickUp(words[1], number(words, 2), millis(words, 3), millis(words, 4));
      case "due" ->
          due(words[1], number(words, 2), millis(words, 3), millis(words, 4), words.length > 5);
      case "clear" -> {
        contender.clear();
        print("cleared");
      }
      default -> throw new IOException("unknown command " + words[0]);
    }
  }

  private static int number(String[] words, int index) {
    return Integer.parseInt(words[index]);
  }

  private static Duration millis(String[] words, int index) {
    return Duration.ofMillis(number(words, index));
  }

  private static String text(long stamp) {
    StringBuilder text = new StringBuilder(PAYLOAD_CHARACTERS);
    String digits = Long.toString(stamp);
    text.append("0".repeat(STAMP_DIGITS - digits.length())).append(digits);
    ThreadLocalRandom random = ThreadLocalRandom.current();
    while (text.length() < PAYLOAD_CHARACTERS) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private static long stampOf(String text) {
    return Long.parseLong(text, 0, STAMP_DIGITS, 10);
  }

  private static List<String> texts(int count) {
    return IntStream.range(0, count).mapToObj(i -> text(0)).toList();
  }

  private void fill(String queue, int tasks) {
    for (int from = 0; from < tasks; from += FILL) {
      contender.enqueueAll(queue, texts(Math.min(FILL, tasks - from)));
    }
    print("filled");
  }

  private void serve(String queue, int concurrency) throws Exception {
    handled.set(0);
    contender.start(
        queue,
        concurrency,
        text -> {
          if (handled.getAndIncrement() == 0) {
            firstNanos.set(System.nanoTime());
          }
        });
    print("serving");
  }

  /**
   * Queries the store only after all tasks were handled, so that the query does not slow it down.
   */
  private void drained(String queue, int tasks) {
    while (handled.get() < tasks || contender.left(queue) > 0) {
      LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
    }
    print("drained " + (System.nanoTime() - firstNanos.get()));
  }

  private void hold(String queue, int concurrency) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    contender.start(
        queue,
        concurrency,
        text -> {
          print("S");
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    print("serving");
  }

  private void enqueue(String queue, int producers, int tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(producers);
    try {
      Callable<Void> producer =
          () -> {
            for (int i = 0; i < tasks / producers; i++) {
              contender.enqueue(queue, text(0));
            }
            return null;
          };
      List<Callable<Void>> all = Collections.nCopies(producers, producer);
      long start = System.nanoTime();
      for (Future<Void> done : threads.invokeAll(all)) {
        done.get();
      }
      print("took " + (System.nanoTime() - start));
    } catch (ExecutionException e) {
      throw new IllegalStateException("enqueue failed", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private void batch(String queue, int tasks, int size) {
    List<String> texts = texts(tasks);
    long start = System.nanoTime();
    for (int from = 0; from < tasks; from += size) {
      contender.enqueueAll(queue, texts.subList(from, Math.min(from + size, tasks)));
    }
    print("took " + (System.nanoTime() - start));
  }

  private void pickUp(String queue, int samples, Duration limit, Duration warmUp) throws Exception {
    BlockingQueue<Long> started = new LinkedBlockingQueue<>();
    contender.start(queue, 10, text -> started.add(System.nanoTime() - stampOf(text)));
    // Without pauses: code that runs a few times per second would not be compiled for minutes.
    for (long start = System.nanoTime(); System.nanoTime() - start < warmUp.toNanos(); ) {
      contender.enqueue(queue, text(System.nanoTime()));
      started.take();
    }
    List<Long> times = new ArrayList<>();
    long start = System.nanoTime();
    while (times.size() < samples && System.nanoTime() - start < limit.toNanos()) {
      // Spread over a second, so that a contender that polls once a second is met at any time.
      Thread.sleep(ThreadLocalRandom.current().nextInt(20, 1_020));
      contender.enqueue(queue, text(System.nanoTime()));
      times.add(started.take());
    }
    contender.stop();
    printTimes(times);
  }

  private void due(String queue, int tasks, Duration lead, Duration span, boolean precise)
      throws Exception {
    Clock clock = Clock.systemUTC();
    List<Long> times = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch all = new CountDownLatch(tasks);
    Consumer<String> handler =
        text -> {
          Instant due = Instant.ofEpochMilli(stampOf(text));
          times.add(Duration.between(due, clock.instant()).toNanos());
          all.countDown();
        };
    contender.start(queue, 100, handler);
    Instant first = clock.instant().plus(lead);
    for (int i = 0; i < tasks; i++) {
      long due = first.toEpochMilli() + ThreadLocalRandom.current().nextLong(span.toMillis());
      contender.schedule(queue, text(due), Instant.ofEpochMilli(due), precise);
    }
    all.await();
    contender.stop();
    printTimes(times);
  }

  private void printTimes(List<Long> times) {
    print("times " + times.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }
}
