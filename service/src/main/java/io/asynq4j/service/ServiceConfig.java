package io.asynq4j.service;

import io.asynq4j.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything that a task service is told by its file, checked. Immutable. Made by {@link #load} and
 * {@link #parse}.
 */
public final class ServiceConfig {

  /**
   * How much at once.
   *
   * @param body bytes of a request
   * @param batch bytes of a request with many tasks
   * @param batchLines tasks of such a request
   */
  record Limits(int body, int batch, int batchLines) {}

  /** How long leases are: when a worker does not say, and at most. */
  record LeaseTimes(Duration usual, Duration longest) {}

  private final String redisUrl;
  private final String host;
  private final int port;
  private final int concurrency;
  private final Duration shutdownTimeout;
  private final Duration idempotency;
  private final Durability durability;
  private final Limits limits;
  private final LeaseTimes leases;
  private final AllowedHosts allowedHosts;
  private final Duration connectTimeout;
  private final List<ApiKey> keys;
  private final Map<String, ConfiguredTask> tasks;

  ServiceConfig(
      String redisUrl,
      String host,
      int port,
      int concurrency,
      Duration shutdownTimeout,
      Duration idempotency,
      Durability durability,
      Limits limits,
      LeaseTimes leases,
      AllowedHosts allowedHosts,
      Duration connectTimeout,
      List<ApiKey> keys,
      Map<String, ConfiguredTask> tasks) {
    this.redisUrl = redisUrl;
    this.host = host;
    this.port = port;
    this.concurrency = concurrency;
    this.shutdownTimeout = shutdownTimeout;
    this.idempotency = idempotency;
    this.durability = durability;
    this.limits = limits;
    this.leases = leases;
    this.allowedHosts = allowedHosts;
    this.connectTimeout = connectTimeout;
    this.keys = List.copyOf(keys);
    this.tasks = Map.copyOf(tasks);
  }

  /**
   * Reads a file. Throws {@link ConfigurationException} with all that is wrong with it, and where.
   */
  public static ServiceConfig load(Path file, Map<String, String> environment) {
    try {
      return parse(file.getFileName().toString(), Files.readString(file), environment);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the configuration " + file, e);
    }
  }

  /** The same with the text of a file. */
  public static ServiceConfig parse(String file, String yaml, Map<String, String> environment) {
    return new ConfigurationReader(new ConfigurationSource(file, environment)).read(yaml);
  }

  String redisUrl() {
    return redisUrl;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  int concurrency() {
    return concurrency;
  }

  Duration shutdownTimeout() {
    return shutdownTimeout;
  }

  /** How long an Idempotency-Key is remembered. */
  Duration idempotency() {
    return idempotency;
  }

  Durability durability() {
    return durability;
  }

  Limits limits() {
    return limits;
  }

  LeaseTimes leases() {
    return leases;
  }

  AllowedHosts allowedHosts() {
    return allowedHosts;
  }

  Duration connectTimeout() {
    return connectTimeout;
  }

  List<ApiKey> keys() {
    return keys;
  }

  Map<String, ConfiguredTask> tasks() {
    return tasks;
  }

  /** The names of the tasks that the file defines. */
  public Set<String> taskNames() {
    return tasks.keySet();
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "ServiceConfig[%s:%d, %d tasks, %d keys]"
        .formatted(host, port, tasks.size(), keys.size());
  }
}
