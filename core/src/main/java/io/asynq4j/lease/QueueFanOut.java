package io.asynq4j.lease;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Splits calls for tasks of many queues into one call for each queue. Thread-safe. */
final class QueueFanOut {

  private final StoreWatch servers;

  QueueFanOut(StoreWatch servers) {
    this.servers = servers;
  }

  /**
   * Makes a call for each queue, and returns the answers in the order of the items. When a Redis
   * server of a cluster fails, its other queues are skipped and those of other servers are not;
   * then the failure is thrown.
   *
   * @param call returns one answer for each item of a queue, in order
   */
  <T, A> List<A> call(
      List<T> items, Function<T, QueueName> queueOf, BiFunction<QueueName, List<T>, List<A>> call) {
    Map<QueueName, List<Integer>> positions = new LinkedHashMap<>();
    for (int i = 0; i < items.size(); i++) {
      QueueName queue = queueOf.apply(items.get(i));
      positions.computeIfAbsent(queue, any -> new ArrayList<>()).add(i);
    }
    Map<Integer, A> answers = new TreeMap<>();
    Set<String> away = new HashSet<>();
    List<BrokerUnavailableException> failures = new ArrayList<>();
    positions.forEach(
        (queue, places) -> {
          String server = servers.shardOf(queue);
          if (away.contains(server)) {
            return;
          }
          try {
            List<A> part = call.apply(queue, places.stream().map(items::get).toList());
            for (int i = 0; i < places.size(); i++) {
              answers.put(places.get(i), part.get(i));
            }
          } catch (BrokerUnavailableException e) {
            away.add(server);
            failures.add(e);
          }
        });
    if (!failures.isEmpty()) {
      BrokerUnavailableException first = failures.get(0);
      failures.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
    return List.copyOf(answers.values());
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
