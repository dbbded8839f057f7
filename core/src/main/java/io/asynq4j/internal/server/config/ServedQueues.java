package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The queues that a server serves; they may change while it runs. Thread-safe. */
public final class ServedQueues {

  private final ServerConfig config;
  private volatile Map<QueueName, Integer> weights;
  private volatile List<QueueName> names;
  private final List<Runnable> listeners = new ArrayList<>();
  private final Set<QueueName> named = new HashSet<>();
  private final Set<QueueName> refused = new HashSet<>();
  private Set<QueueName> defined = Set.of();
  private Set<QueueName> kept = Set.of();

  public ServedQueues(ServerConfig config) {
    this.config = config;
    this.weights = config.queues();
    this.names = List.copyOf(weights.keySet());
    named.addAll(names);
  }

  public Map<QueueName, Integer> weights() {
    return weights;
  }

  /** All that the server cares for, also those whose tasks it does not process. */
  public List<QueueName> names() {
    return names;
  }

  /** Has something called whenever the queues have changed. */
  public synchronized void onChange(Runnable listener) {
    listeners.add(listener);
  }

  public synchronized void add(QueueName queue, int weight) {
    if (weight < 1) {
      throw new IllegalArgumentException(
          "the weight of queue %s must be 1 or more: %d".formatted(queue, weight));
    }
    Map<QueueName, Integer> changed = new LinkedHashMap<>(weights);
    changed.put(queue, weight);
    named.add(queue);
    refused.remove(queue);
    set(changed);
  }

  public synchronized boolean remove(QueueName queue) {
    Map<QueueName, Integer> changed = new LinkedHashMap<>(weights);
    boolean removed = changed.remove(queue) != null;
    named.remove(queue);
    // Also when a pattern fits it.
    refused.add(queue);
    set(changed);
    return removed;
  }

  /**
   * What the central list says: those to process, with their weights, and those to keep in order
   * only.
   *
   * @param rulesChanged whether the limits of some may be others now
   */
  synchronized void define(
      Map<QueueName, Integer> processed, Set<QueueName> keptInOrder, boolean rulesChanged) {
    Map<QueueName, Integer> changed = new LinkedHashMap<>(weights);
    changed.keySet().removeIf(queue -> defined.contains(queue) && !processed.containsKey(queue));
    changed.putAll(processed);
    defined = Set.copyOf(processed.keySet());
    boolean others = !kept.equals(keptInOrder);
    kept = Set.copyOf(keptInOrder);
    set(changed, rulesChanged || others);
  }

  public boolean hasPatterns() {
    return !config.patterns().isEmpty();
  }

  /** Takes up those of the queues that fit a pattern, and drops those that are gone. */
  public synchronized void found(Collection<QueueName> existing) {
    Map<QueueName, Integer> changed = new LinkedHashMap<>(weights);
    Set<QueueName> all = Set.copyOf(existing);
    changed.keySet().removeIf(queue -> fits(queue) && !all.contains(queue));
    for (QueueName queue : existing) {
      if (refused.contains(queue)) {
        continue;
      }
      for (QueuePattern pattern : config.patterns()) {
        if (pattern.matches(queue)) {
          changed.putIfAbsent(queue, pattern.weight());
        }
      }
    }
    set(changed);
  }

  private boolean fits(QueueName queue) {
    return !named.contains(queue)
        && config.patterns().stream().anyMatch(pattern -> pattern.matches(queue));
  }

  private void set(Map<QueueName, Integer> changed) {
    set(changed, false);
  }

  private void set(Map<QueueName, Integer> changed, boolean inAnyCase) {
    if (changed.equals(weights) && !inAnyCase) {
      return;
    }
    weights = Map.copyOf(changed);
    Set<QueueName> all = new LinkedHashSet<>(weights.keySet());
    all.addAll(kept);
    names = List.copyOf(all);
    listeners.forEach(Runnable::run);
  }
}
