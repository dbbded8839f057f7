package io.asynq4j.spring.internal;

import io.asynq4j.TaskType;
import io.asynq4j.server.GroupAggregator;
import io.asynq4j.server.ServerSettings;

/**
 * An aggregator of a bean.
 *
 * @param group pattern of names of groups; empty if it is for a task type
 * @param type name of the task type; empty if it is for a group
 */
record AggregatorDeclaration(
    String beanName,
    String where,
    String server,
    String group,
    String type,
    GroupAggregator aggregator,
    BeanMethodInvoker invoker) {

  boolean runsOn(String serverName) {
    return server.isEmpty() || server.equals(serverName);
  }

  /** Returns what it is for, for messages: no two aggregators of a server are for the same. */
  String target() {
    return group.isEmpty() ? "task type \"" + type + "\"" : "group \"" + group + "\"";
  }

  void addTo(ServerSettings.Groups groups) {
    if (group.isEmpty()) {
      groups.aggregator(TaskType.of(type), aggregator);
    } else {
      groups.aggregator(group, aggregator);
    }
  }
}
