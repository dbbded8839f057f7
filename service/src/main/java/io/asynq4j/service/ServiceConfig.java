package io.asynq4j.service;

import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.config.LeaseTimes;
import io.asynq4j.service.config.ListenAddress;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.config.SubmitSettings;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.tasks.AllowedHosts;
import io.asynq4j.service.tasks.ConfiguredTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Validated configuration of a task service. Immutable. Created by {@link #load} and {@link
 * #parse}.
 */
public final class ServiceConfig {

  /** Concurrency and network access of hosted tasks. */
  record Hosting(
      int concurrency,
      Duration shutdownTimeout,
      AllowedHosts allowedHosts,
      Duration connectTimeout) {}

  /** Whether the dashboard is served on the same port, and whether it is read-only. */
  record DashboardPages(boolean enabled, boolean readOnly) {}

  /**
   * Logs of requests.
   *
   * @param audit file of the audit log; null = the application log
   * @param requests whether each request is logged
   */
  record Logs(@Nullable Path audit, boolean requests) {}

  private final String redisUrl;
  private final ListenAddress listener;
  private final Hosting hosting;
  private final SubmitSettings submit;
  private final RequestLimits limits;
  private final LeaseTimes leases;
  private final DashboardPages dashboard;
  private final Logs logs;
  private final @Nullable GearmanConfig gearman;
  private final List<ApiKey> keys;
  private final Map<String, ConfiguredTask> tasks;

  ServiceConfig(
      String redisUrl,
      ListenAddress listener,
      Hosting hosting,
      SubmitSettings submit,
      RequestLimits limits,
      LeaseTimes leases,
      DashboardPages dashboard,
      Logs logs,
      @Nullable GearmanConfig gearman,
      List<ApiKey> keys,
      Map<String, ConfiguredTask> tasks) {
    this.redisUrl = redisUrl;
    this.listener = listener;
    this.hosting = hosting;
    this.submit = submit;
    this.limits = limits;
    this.leases = leases;
    this.dashboard = dashboard;
    this.logs = logs;
    this.gearman = gearman;
    this.keys = List.copyOf(keys);
    this.tasks = Map.copyOf(tasks);
  }

  /** Reads a file. Throws {@link ConfigurationException} with all errors and their positions. */
  public static ServiceConfig load(Path file, Map<String, String> environment) {
    try {
      return parse(file.getFileName().toString(), Files.readString(file), environment);
    } catch (IOException e) {
      throw new UncheckedIOException("the configuration cannot be read: " + file, e);
    }
  }

  /** Parses the text of a file. */
  public static ServiceConfig parse(String file, String yaml, Map<String, String> environment) {
    return new ConfigurationReader(file, environment).read(yaml);
  }

  String redisUrl() {
    return redisUrl;
  }

  ListenAddress listener() {
    return listener;
  }

  /** Whether only this machine can reach the service. */
  boolean isLocal() {
    return ConfigurationReader.isLoopback(listener.host());
  }

  Hosting hosting() {
    return hosting;
  }

  SubmitSettings submit() {
    return submit;
  }

  RequestLimits limits() {
    return limits;
  }

  LeaseTimes leases() {
    return leases;
  }

  /** Settings of the gearman gateway; null if it is off. */
  @Nullable GearmanConfig gearman() {
    return gearman;
  }

  DashboardPages dashboard() {
    return dashboard;
  }

  Logs logs() {
    return logs;
  }

  List<ApiKey> keys() {
    return keys;
  }

  Map<String, ConfiguredTask> tasks() {
    return tasks;
  }

  /** Returns the names of settings that differ from a former configuration and need a restart. */
  Set<String> needRestart(ServiceConfig before) {
    Map<String, Function<ServiceConfig, @Nullable Object>> settings =
        Map.of(
            "redis.url", each -> each.redisUrl,
            "listen.host", each -> each.listener.host(),
            "listen.port", each -> each.listener.port(),
            "listen.tls", each -> each.listener.isEncrypted(),
            "dashboard", each -> each.dashboard,
            "gearman", each -> each.gearman,
            "concurrency", each -> each.hosting.concurrency(),
            "shutdownTimeout", each -> each.hosting.shutdownTimeout());
    Set<String> differing = new TreeSet<>();
    settings.forEach(
        (name, value) -> {
          if (!Objects.equals(value.apply(before), value.apply(this))) {
            differing.add(name);
          }
        });
    return differing;
  }

  /** The names of the tasks that the file defines. */
  public Set<String> taskNames() {
    return tasks.keySet();
  }

  /** Omits secrets. */
  @Override
  public String toString() {
    return "ServiceConfig[%s:%d, %d tasks, %d keys]"
        .formatted(listener.host(), listener.port(), tasks.size(), keys.size());
  }
}
