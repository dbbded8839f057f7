package io.asynq4j.spring.boot;

import io.asynq4j.spring.TaskServerDefinition;
import io.asynq4j.spring.boot.AsynqProperties.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The servers of {@code asynq4j.server} or {@code asynq4j.servers}. The server {@code default}
 * exists if it has settings, or if no other server is defined.
 */
final class ServersOfProperties implements TaskServerDefinition.Source {

  private static final String ENABLED = "enabled";

  private final AsynqProperties properties;
  private final Environment environment;
  private final ObjectProvider<TaskServerDefinition> beans;

  ServersOfProperties(
      AsynqProperties properties,
      Environment environment,
      ObjectProvider<TaskServerDefinition> beans) {
    this.properties = properties;
    this.environment = environment;
    this.beans = beans;
  }

  @Override
  public List<TaskServerDefinition> definitions() {
    QueueNames.requireUnchanged(environment);
    TreeSet<String> settings = new TreeSet<>(settingsOfDefault().keySet());
    settings.remove(ENABLED);
    if (!properties.servers().isEmpty() && !settings.isEmpty()) {
      throw new InvalidAsynqSettingException(
          "asynq4j.server.%s and asynq4j.servers.%s are both set, but asynq4j.server describes the only server"
              .formatted(settings.first(), properties.servers().keySet().iterator().next()),
          "move the settings of asynq4j.server to asynq4j.servers.NAME, and keep only asynq4j.server.enabled");
    }
    if (!properties.servers().isEmpty()) {
      List<TaskServerDefinition> servers = new ArrayList<>();
      properties
          .servers()
          .forEach(
              (name, server) ->
                  servers.add(
                      definition(name, "asynq4j.servers." + name, server)
                          .enabled(server.enabled())));
      return servers;
    }
    if (settings.isEmpty() && beans.stream().findAny().isPresent()) {
      return List.of();
    }
    return List.of(
        definition(TaskServerDefinition.DEFAULT_NAME, "asynq4j.server", properties.server())
            .optional());
  }

  private Map<String, Object> settingsOfDefault() {
    return Binder.get(environment)
        .bind("asynq4j.server", Bindable.mapOf(String.class, Object.class))
        .orElse(Map.of());
  }

  private TaskServerDefinition definition(String name, String prefix, Server server) {
    boolean hasVirtualThreads =
        server.virtualThreads() == null
            ? environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
            : server.virtualThreads();
    ServerSettingsApplier applier = new ServerSettingsApplier(prefix, server, hasVirtualThreads);
    TaskServerDefinition definition =
        TaskServerDefinition.of(name)
            .phase(server.phase())
            .autoStartup(server.autoStartup())
            .with(builder -> applier.apply(name, builder));
    return server.queues().isEmpty() ? definition.withQueuesOfHandlers() : definition;
  }
}
