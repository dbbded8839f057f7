package io.asynq4j.spring.internal;

import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import io.asynq4j.spring.TaskServers;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The servers of an application context, by name. Thread-safe. */
public final class ServerRegistry implements TaskServers {

  private final Map<String, ServerLifecycle> servers = new ConcurrentSkipListMap<>();
  private final Map<String, ServerPlan> plans = new ConcurrentHashMap<>();

  void add(String name, ServerPlan plan, ServerLifecycle server) {
    plans.put(name, plan);
    servers.put(name, server);
  }

  @Override
  public Set<String> names() {
    return Set.copyOf(servers.keySet());
  }

  @Override
  public Optional<TaskServer> find(String name) {
    return Optional.ofNullable(servers.get(name)).flatMap(ServerLifecycle::running);
  }

  @Override
  public void configure(String name, TaskServerBuilder builder) {
    existing(name);
    Objects.requireNonNull(plans.get(name), name).configure(builder);
  }

  @Override
  public void start(String name) {
    existing(name).start();
  }

  @Override
  public void stop(String name) {
    existing(name).stop();
  }

  private ServerLifecycle existing(String name) {
    ServerLifecycle server = servers.get(name);
    if (server == null) {
      throw new IllegalArgumentException(
          "no server has the name \"%s\"; the servers are %s: correct the name, or define a bean of type TaskServerDefinition"
              .formatted(name, servers.keySet()));
    }
    return server;
  }
}
