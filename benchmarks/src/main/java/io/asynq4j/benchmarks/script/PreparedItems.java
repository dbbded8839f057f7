package io.asynq4j.benchmarks.script;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntFunction;

/** Items prepared for later calls. */
final class PreparedItems<T> {

  private final Deque<T> items = new ArrayDeque<>();

  void fillTo(int size, IntFunction<List<T>> more) {
    if (items.size() < size) {
      items.addAll(more.apply(size - items.size()));
    }
  }

  List<T> take(int count) {
    List<T> taken = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      taken.add(items.remove());
    }
    return taken;
  }

  void putBack(List<T> taken) {
    items.addAll(taken);
  }

  T take() {
    return items.remove();
  }
}
