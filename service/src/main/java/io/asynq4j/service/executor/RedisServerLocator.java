package io.asynq4j.service.executor;

import io.asynq4j.lease.TaskLeases;
import java.util.Collection;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Names the Redis servers of a cluster that calls need, so that calls that need others do not wait
 * for them. Known without asking Redis. All names are empty where one server has everything.
 *
 * @param leases current leases
 */
public record RedisServerLocator(Supplier<TaskLeases> leases) {

  private static final String DEFINITIONS = "definitions";
  private static final String QUEUE_NAMES = " queues";
  private static final String ALL = "all";

  /** The server that has a queue. */
  public String of(String queue) {
    return leases.get().serverOf(queue);
  }

  /** One name for all servers that have these queues. */
  public String of(Collection<String> queues) {
    TaskLeases current = leases.get();
    return queues.stream()
        .map(current::serverOf)
        .distinct()
        .sorted()
        .collect(Collectors.joining(" "));
  }

  /** These servers, and the one that has the names of queues. */
  public String withQueueNames(String servers) {
    return areSeveral() ? servers + QUEUE_NAMES : servers;
  }

  /** The server that has the list of definitions. */
  public String ofDefinitions() {
    return areSeveral() ? DEFINITIONS : "";
  }

  /** For calls that need all servers. */
  public String all() {
    return areSeveral() ? ALL : "";
  }

  public boolean areSeveral() {
    return !leases.get().serverOf(ALL).isEmpty();
  }
}
