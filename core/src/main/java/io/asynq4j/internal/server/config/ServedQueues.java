package io.asynq4j.internal.server.config;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.QueueName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queues of a server, which may change while it runs. Thread-safe. */
public final class ServedQueues {

  private static final Logger log = LoggerFactory.getLogger(ServedQueues.class);

  private final ServerConfig config;
  private volatile Map<QueueName, Integer> weights;
  private volatile List<QueueName> names;
  private final List<Runnable> listeners = new ArrayList<>();
  private final Set<QueueName> named = new HashSet<>();
  private final Set<QueueName> removed = new HashSet<>();
  private Set<QueueName> defined = Set.of();
  private Set<QueueName> upkeep = Set.of();

  public ServedQueues(ServerConfig config) {
    this.config = config;
    this.weights = config.queues();
    this.names = List.copyOf(weights.keySet());
    named.addAll(names);
  }

  public Map<QueueName, Integer> weights() {
    return weights;
  }

  /** Returns whether a queue is served, or would be if it existed. */
  public synchronized boolean mayServe(QueueName queue) {
    return weights.containsKey(queue) || (config.mayServe(queue) && !removed.contains(queue));
  }

  /** Returns all queues, including those for which the server only runs duties. */
  public List<QueueName> names() {
    return names;
  }

  /** Registers a listener for changes of the queues. */
  public synchronized void onChange(Runnable listener) {
    listeners.add(listener);
  }

  public synchronized void add(QueueName queue, int weight) {
    requireAtLeast(1, weight, "the weight of queue " + queue);
    Map<QueueName, Integer> changed = new LinkedHashMap<>(weights);
    changed.put(queue, weight);
    named.add(queue);
    removed.remove(queue);
    set(changed, /* notifyAnyway= */ false);
  }

  public synchronized boolean remove(QueueName queue) {
    Map<QueueName, Integer> changed = new LinkedHashMap<>(weights);
    boolean wasServed = changed.remove(queue) != null;
    named.remove(queue);
    // Even if a pattern matches it.
    removed.add(queue);
    set(changed, /* notifyAnyway= */ false);
    return wasServed;
  }

  /**
   * Replaces the queues of the central list of definitions.
   *
   * @param processed queues whose tasks are processed, with their weights
   * @param upkeepOnly queues for which only duties are run
   * @param rulesChanged whether limits may have changed
   */
  synchronized void define(
      Map<QueueName, Integer> processed, Set<QueueName> upkeepOnly, boolean rulesChanged) {
    Map<QueueName, Integer> changed = new LinkedHashMap<>(weights);
    changed.keySet().removeIf(queue -> defined.contains(queue) && !processed.containsKey(queue));
    changed.putAll(processed);
    defined = Set.copyOf(processed.keySet());
    boolean upkeepChanged = !upkeep.equals(upkeepOnly);
    upkeep = Set.copyOf(upkeepOnly);
    set(changed, rulesChanged || upkeepChanged);
  }

  /** Adds existing queues that match a pattern, and removes those that no longer exist. */
  public synchronized void found(Set<String> existing) {
    Map<QueueName, Integer> changed = new LinkedHashMap<>(weights);
    changed.keySet().removeIf(queue -> isFromPattern(queue) && !existing.contains(queue.value()));
    for (String name : existing) {
      try {
        addIfMatching(QueueName.of(name), changed);
      } catch (IllegalArgumentException e) {
        // A name that a Go client accepts, but asynq4j does not.
        log.debug("queue \"{}\" is not served: {}", name, e.getMessage());
      }
    }
    set(changed, /* notifyAnyway= */ false);
  }

  private void addIfMatching(QueueName queue, Map<QueueName, Integer> changed) {
    for (QueuePattern pattern : config.patterns()) {
      if (pattern.matches(queue) && !removed.contains(queue)) {
        changed.putIfAbsent(queue, pattern.weight());
      }
    }
  }

  private boolean isFromPattern(QueueName queue) {
    return !named.contains(queue) && config.matchesPattern(queue);
  }

  private void set(Map<QueueName, Integer> changed, boolean notifyAnyway) {
    if (changed.equals(weights) && !notifyAnyway) {
      return;
    }
    weights = Map.copyOf(changed);
    Set<QueueName> all = new LinkedHashSet<>(weights.keySet());
    all.addAll(upkeep);
    names = List.copyOf(all);
    listeners.forEach(Runnable::run);
  }
}
