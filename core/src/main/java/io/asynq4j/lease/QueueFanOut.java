package io.asynq4j.lease;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Splits calls for tasks of many queues into one call for each queue. Thread-safe. */
record QueueFanOut(StoreWatch servers) {

  /**
   * Makes a call for each queue, and returns the answers in the order of the items. When a Redis
   * server of a cluster fails, its other queues are skipped and those of other servers are not;
   * then the failure is thrown.
   *
   * @param call returns one answer for each item of a queue, in order
   */
  <T, A> List<A> call(
      List<T> items, Function<T, QueueName> queueOf, BiFunction<QueueName, List<T>, List<A>> call) {
    Map<QueueName, List<T>> parts = new LinkedHashMap<>();
    for (T item : items) {
      parts.computeIfAbsent(queueOf.apply(item), any -> new ArrayList<>()).add(item);
    }
    Map<QueueName, Iterator<A>> answers = new HashMap<>();
    Map<String, BrokerUnavailableException> failures = new LinkedHashMap<>();
    parts.forEach(
        (queue, part) -> {
          String server = servers.shardOf(queue);
          if (!failures.containsKey(server)) {
            try {
              answers.put(queue, call.apply(queue, part).iterator());
            } catch (BrokerUnavailableException e) {
              failures.put(server, e);
            }
          }
        });
    Iterator<BrokerUnavailableException> thrown = failures.values().iterator();
    if (thrown.hasNext()) {
      BrokerUnavailableException first = thrown.next();
      thrown.forEachRemaining(first::addSuppressed);
      throw first;
    }
    return items.stream()
        .map(item -> Objects.requireNonNull(answers.get(queueOf.apply(item))).next())
        .toList();
  }

  /** Makes a call for the items that are present. The answers of the others are empty. */
  static <T, A> List<Optional<A>> callForPresent(
      List<Optional<T>> items, Function<List<T>, List<Optional<A>>> call) {
    Iterator<Optional<A>> answers =
        call.apply(items.stream().flatMap(Optional::stream).toList()).iterator();
    return items.stream()
        .map(item -> item.isPresent() ? answers.next() : Optional.<A>empty())
        .toList();
  }
}
