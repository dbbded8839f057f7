package io.asynq4j.service;

import io.asynq4j.Durability;
import io.asynq4j.http.PemKeyStore;
import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.service.ConfigurationException.Problem;
import io.asynq4j.service.ServiceConfig.DashboardPages;
import io.asynq4j.service.ServiceConfig.Hosting;
import io.asynq4j.service.ServiceConfig.Logs;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.auth.Scope;
import io.asynq4j.service.config.ConfigurationParser;
import io.asynq4j.service.config.ConfigurationSection;
import io.asynq4j.service.config.GearmanSectionReader;
import io.asynq4j.service.config.LeaseTimes;
import io.asynq4j.service.config.ListenAddress;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.config.SubmitSettings;
import io.asynq4j.service.config.TaskSectionReader;
import io.asynq4j.service.tasks.AllowedHosts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a {@link ServiceConfig} from the sections of a file. Not thread-safe. */
final class ConfigurationReader {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration YEAR = Duration.ofDays(366);

  private final List<Problem> problems = new ArrayList<>();
  private final ConfigurationParser parser;

  /**
   * @param file the name of the file, for the positions of errors
   */
  ConfigurationReader(String file, Map<String, String> environment) {
    this.parser =
        new ConfigurationParser(
            file,
            environment,
            (line, column, message) -> problems.add(new Problem(file, line, column, message)));
  }

  /** Throws {@link ConfigurationException} with all errors. */
  ServiceConfig read(String yaml) {
    ConfigurationSection top =
        parser.parse(yaml).orElseThrow(() -> new ConfigurationException(problems));

    ConfigurationSection redis = top.section("redis");
    String redisUrl = redis.text("url", "redis://localhost:6379");
    try {
      RedisConfig.parse(redisUrl);
    } catch (IllegalArgumentException e) {
      redis.problem("url", "is invalid: " + e.getMessage());
    }
    redis.end();

    List<ApiKey> keys = keys(top);
    ListenAddress listener = listener(top.section("listen"), keys);
    ConfigurationSection http = top.section("http");
    AllowedHosts allowed = allowedHosts(http);
    Duration connectTimeout =
        http.duration("connectTimeout", Duration.ofMillis(10), DAY).orElse(Duration.ofSeconds(5));
    http.end();
    Hosting hosting =
        new Hosting(
            top.integer("concurrency", 1, 100_000).orElse(20),
            top.duration("shutdownTimeout", Duration.ZERO, DAY).orElse(Duration.ofSeconds(20)),
            allowed,
            connectTimeout);
    SubmitSettings submit =
        new SubmitSettings(
            top.duration("idempotency", Duration.ofMinutes(1), YEAR).orElse(DAY),
            top.choice("durability", Durability.class).orElse(Durability.PRIMARY));
    ServiceConfig config =
        new ServiceConfig(
            redisUrl,
            listener,
            hosting,
            submit,
            limits(top),
            leases(top),
            dashboard(top.section("dashboard")),
            logs(top.section("log")),
            top.has("gearman") ? GearmanSectionReader.read(top.section("gearman")) : null,
            keys,
            TaskSectionReader.read(top.section("tasks"), allowed));
    top.end();
    if (!problems.isEmpty()) {
      problems.sort(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column));
      throw new ConfigurationException(problems);
    }
    return config;
  }

  private static ListenAddress listener(ConfigurationSection listen, List<ApiKey> keys) {
    String host = listen.text("host", "127.0.0.1");
    int port = listen.integer("port", 0, 65_535).orElse(8080);
    ConfigurationSection tls = listen.section("tls");
    Path certificate = null;
    Path key = null;
    if (listen.has("tls")) {
      certificate = file(tls, "certificate");
      key = file(tls, "key");
      if (certificate != null && key != null) {
        try {
          PemKeyStore.read(certificate, key);
        } catch (IllegalArgumentException e) {
          tls.problem("certificate", "is invalid: " + e.getMessage());
        }
      }
    }
    tls.end();
    if (keys.isEmpty() && !isLoopback(host)) {
      listen.problem(
          "host",
          "is reachable from other machines, which requires authentication: add keys, or listen on"
              + " 127.0.0.1");
    }
    listen.end();
    return new ListenAddress(host, port, certificate, key);
  }

  private static @Nullable Path file(ConfigurationSection section, String key) {
    Optional<String> name = section.required(key);
    if (name.isEmpty()) {
      return null;
    }
    Path path = Path.of(name.get());
    if (!Files.isReadable(path)) {
      section.problem(key, "is not readable: \"" + path + "\"");
      return null;
    }
    return path;
  }

  private static DashboardPages dashboard(ConfigurationSection section) {
    DashboardPages pages = new DashboardPages(section.flag("enabled"), section.flag("readOnly"));
    if (pages.readOnly() && !section.has("enabled")) {
      section.problem(
          "readOnly", "is true, but enabled is not set; set enabled: true or remove readOnly");
    }
    section.end();
    return pages;
  }

  private static Logs logs(ConfigurationSection section) {
    Logs logs =
        new Logs(section.text("audit").map(Path::of).orElse(null), section.flag("requests"));
    section.end();
    return logs;
  }

  static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static RequestLimits limits(ConfigurationSection top) {
    ConfigurationSection limits = top.section("limits");
    int max = 1 << 30;
    RequestLimits read =
        new RequestLimits(
            limits.size("body", 1_024, max).orElse(1L << 20).intValue(),
            limits.size("batch", 1_024, max).orElse(16L << 20).intValue(),
            limits.integer("batchLines", 1, 100_000).orElse(1_000));
    limits.end();
    return read;
  }

  private static LeaseTimes leases(ConfigurationSection top) {
    ConfigurationSection lease = top.section("lease");
    LeaseTimes times =
        new LeaseTimes(
            lease.duration("default", SECOND, DAY).orElse(Duration.ofSeconds(30)),
            lease.duration("longest", SECOND, DAY).orElse(Duration.ofMinutes(15)));
    if (times.usual().compareTo(times.longest()) > 0) {
      lease.problem(
          "default",
          "must not be longer than lease.longest (%s), got %s"
              .formatted(
                  DurationFormat.format(times.longest()), DurationFormat.format(times.usual())));
    }
    lease.end();
    return times;
  }

  private static List<ApiKey> keys(ConfigurationSection top) {
    List<ApiKey> keys = new ArrayList<>();
    Map<String, String> namesByHash = new HashMap<>();
    for (ConfigurationSection section : top.sections("keys")) {
      String name = section.required("name").orElse("");
      String hash = section.required("hash").orElse("");
      if (!hash.isEmpty() && !ApiKey.HASH.matcher(hash).matches()) {
        // The value is not repeated: it may be the key itself.
        section.problem(
            "hash", "must be \"sha256:\" and 64 hex digits, as printed by asynq serve --new-key");
      }
      String other = namesByHash.putIfAbsent(hash, name);
      if (other != null && !hash.isEmpty()) {
        section.problem(
            "hash",
            "of the key \"%s\" is also that of the key \"%s\"; remove one of them"
                .formatted(name, other));
      }
      Set<Scope> scopes = EnumSet.noneOf(Scope.class);
      for (String word : section.texts("scopes")) {
        try {
          scopes.add(Scope.valueOf(word.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          section.problem("scopes", "must be submit, work or operate, got \"" + word + "\"");
        }
      }
      if (scopes.isEmpty()) {
        section.problem("scopes", "must contain at least one of submit, work and operate");
      }
      List<Glob> names =
          section.has("names")
              ? section.texts("names").stream().map(Glob::of).toList()
              : List.of(Glob.of("*"));
      section.end();
      keys.add(new ApiKey(name, hash, scopes, names));
    }
    return keys;
  }

  private static AllowedHosts allowedHosts(ConfigurationSection http) {
    List<String> entries = http.texts("allow");
    try {
      return new AllowedHosts(entries);
    } catch (IllegalArgumentException e) {
      http.problem("allow", "is invalid: " + e.getMessage());
      return new AllowedHosts(List.of());
    }
  }
}
