package io.asynq4j.service.gearman;

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
record RedisServerLocator(Supplier<TaskLeases> leases) {

  private static final String DEFINITIONS = "definitions";
  private static final String QUEUE_NAMES = " queues";
  private static final String ALL = "all";

  /** The server that has a queue. */
  String of(String queue) {
    return leases.get().serverOf(queue);
  }

  /** One name for all servers that have these queues. */
  String of(Collection<String> queues) {
    TaskLeases current = leases.get();
    return queues.stream()
        .map(current::serverOf)
        .distinct()
        .sorted()
        .collect(Collectors.joining(" "));
  }

  /** These servers, and the one that has the names of queues. */
  String withQueueNames(String servers) {
    return areSeveral() ? servers + QUEUE_NAMES : servers;
  }

  /** The server that has the list of definitions. */
  String ofDefinitions() {
    return areSeveral() ? DEFINITIONS : "";
  }

  /** For calls that need all servers. */
  String all() {
    return areSeveral() ? ALL : "";
  }

  boolean areSeveral() {
    return !leases.get().serverOf(ALL).isEmpty();
  }
}
