package io.asynq4j.benchmarks;

import io.asynq4j.broker.Claim;
import io.asynq4j.broker.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;

/**
 * Whether claiming and settling cost more when many tasks are active. Tasks are claimed and settled
 * in turn, so that their number stays; which ones are settled makes the rows.
 */
final class ActiveGrowth {

  static final double LIMIT = 1.5;

  private static final Duration DELAY = Duration.ofMinutes(10);

  /** Which of the active tasks are settled. */
  private enum Order {
    OLDEST("oldest first"),
    NEWEST("newest first"),
    RANDOM("in random order");

    private final String words;

    Order(String words) {
      this.words = words;
    }

    /** Takes tasks from a list that has the oldest in front. */
    List<Claim> take(List<Claim> active, int count) {
      List<Claim> taken = new ArrayList<>(count);
      if (this == RANDOM) {
        for (int i = 0; i < count; i++) {
          int place = ThreadLocalRandom.current().nextInt(active.size());
          taken.add(active.get(place));
          active.set(place, active.get(active.size() - 1));
          active.remove(active.size() - 1);
        }
      } else {
        List<Claim> part =
            this == OLDEST
                ? active.subList(0, count)
                : active.subList(active.size() - count, active.size());
        taken.addAll(part);
        part.clear();
      }
      return taken;
    }
  }

  private final Lab lab;
  private final Scale scale;
  private final List<Bar> bars = new ArrayList<>();
  private final Map<String, List<Double>> micros = new LinkedHashMap<>();

  ActiveGrowth(Lab lab, Scale scale) {
    this.lab = lab;
    this.scale = scale;
  }

  List<Bar> bars() {
    return bars;
  }

  Table run() {
    // Once unmeasured, so that no script is new to Redis.
    measure(1);
    micros.clear();
    scale.active().forEach(this::measure);
    lab.clear();
    List<String> columns = new ArrayList<>(List.of("script", "tasks per call"));
    scale.active().forEach(size -> columns.add(Table.text(size) + " active"));
    columns.addAll(List.of("growth", "bar"));
    List<List<Object>> rows = new ArrayList<>();
    micros.forEach((name, figures) -> rows.add(row(name, figures)));
    return new Table("Growth with active tasks: µs per task inside Redis", columns, rows);
  }

  private List<Object> row(String name, List<Double> figures) {
    double growth = figures.get(figures.size() - 1) / figures.get(0);
    Bar bar = new Bar(name + ", growth with active tasks", growth, LIMIT);
    int separator = name.lastIndexOf('/');
    String script = name.substring(0, separator);
    List<Object> row = new ArrayList<>(List.of(script, name.substring(separator + 1)));
    row.addAll(figures);
    row.add(growth);
    if (script.startsWith("claim") || script.startsWith("complete")) {
      bars.add(bar);
      row.add(bar.verdict());
    } else {
      row.add("");
    }
    return row;
  }

  private void measure(int active) {
    lab.clear();
    Stock stock = new Stock(lab);
    List<Claim> running = new ArrayList<>(stock.active(active, Stock.LONG));
    for (int batch : List.of(1, 100)) {
      int calls = Math.max(5, scale.calls(batch) / 10);
      for (Order order : Order.values()) {
        cycle(stock, running, batch, calls, order, "complete", Stock::complete);
      }
      cycle(stock, running, batch, calls, Order.RANDOM, "retry", ActiveGrowth::retry);
      extend(stock, running, batch, calls);
    }
  }

  private void cycle(
      Stock stock,
      List<Claim> running,
      int batch,
      int calls,
      Order order,
      String script,
      BiConsumer<Stock, List<Claim>> settle) {
    stock.pending(calls * batch);
    Usage claiming = Usage.NONE;
    Usage settling = Usage.NONE;
    Usage start = lab.usage();
    for (int i = 0; i < calls; i++) {
      running.addAll(stock.claim(batch, Stock.LONG));
      Usage claimed = lab.usage();
      settle.accept(stock, order.take(running, batch));
      Usage settled = lab.usage();
      claiming = claiming.plus(claimed.since(start));
      settling = settling.plus(settled.since(claimed));
      start = settled;
    }
    long tasks = (long) calls * batch;
    if (order == Order.OLDEST) {
      add("claim", batch, new Cell(calls, tasks, claiming));
    }
    add(script + ", " + order.words, batch, new Cell(calls, tasks, settling));
  }

  private static void retry(Stock stock, List<Claim> claims) {
    stock.settle(
        claims.stream()
            .map(claim -> new Settlement.Retry(claim, DELAY, "it failed", true, false))
            .toList(),
        Stock.KEEP_ALL);
  }

  private void extend(Stock stock, List<Claim> running, int batch, int calls) {
    Usage before = lab.usage();
    for (int i = 0; i < calls; i++) {
      lab.broker().source().extend(stock.queue(), anyOf(running, batch), Stock.LONG);
    }
    add("extend", batch, new Cell(calls, (long) calls * batch, lab.usage().since(before)));
  }

  private static List<Claim> anyOf(List<Claim> running, int count) {
    return ThreadLocalRandom.current()
        .ints(count, 0, running.size())
        .mapToObj(running::get)
        .toList();
  }

  private void add(String script, int batch, Cell cell) {
    micros
        .computeIfAbsent(script + "/" + batch, name -> new ArrayList<>())
        .add(cell.scriptMicrosPerTask());
  }
}
