package io.asynq4j.service;

import io.asynq4j.Durability;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.definition.TaskKind;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.schedule.MissedPolicy;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.service.ServiceConfig.LeaseTimes;
import io.asynq4j.service.ServiceConfig.Limits;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Makes a {@link ServiceConfig} of the sections of a file. Not thread-safe. */
final class ConfigurationReader {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration YEAR = Duration.ofDays(366);

  private final ConfigurationSource source;

  ConfigurationReader(ConfigurationSource source) {
    this.source = source;
  }

  ServiceConfig read(String yaml) {
    Section top = source.parse(yaml);

    Section redis = top.section("redis");
    String redisUrl = redis.text("url", "redis://localhost:6379");
    try {
      RedisConfig.parse(redisUrl);
    } catch (IllegalArgumentException e) {
      redis.problem("url", "cannot be used: " + e.getMessage());
    }
    redis.end();

    List<ApiKey> keys = keys(top);
    Section listen = top.section("listen");
    String host = listen.text("host", "127.0.0.1");
    int port = listen.integer("port", 0, 65_535).orElse(8080);
    if (keys.isEmpty() && !isLoopback(host)) {
      listen.problem(
          "host",
          "is reachable from elsewhere, which needs authentication: add keys, or listen on"
              + " 127.0.0.1");
    }
    listen.end();

    Section http = top.section("http");
    AllowedHosts allowed = allowedHosts(http);
    Duration connectTimeout =
        http.duration("connectTimeout", Duration.ofMillis(10), DAY).orElse(Duration.ofSeconds(5));
    http.end();
    Map<String, ConfiguredTask> tasks = tasks(top, allowed);
    ServiceConfig config =
        new ServiceConfig(
            redisUrl,
            host,
            port,
            top.integer("concurrency", 1, 100_000).orElse(20),
            top.duration("shutdownTimeout", Duration.ZERO, DAY).orElse(Duration.ofSeconds(20)),
            top.duration("idempotency", Duration.ofMinutes(1), YEAR).orElse(DAY),
            top.choice("durability", Durability.class).orElse(Durability.PRIMARY),
            limits(top),
            leases(top),
            allowed,
            connectTimeout,
            keys,
            tasks);
    top.end();
    source.throwIfBad();
    return config;
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static Limits limits(Section top) {
    Section limits = top.section("limits");
    int most = 1 << 30;
    Limits read =
        new Limits(
            limits.size("body", 1_024, most).orElse(1L << 20).intValue(),
            limits.size("batch", 1_024, most).orElse(16L << 20).intValue(),
            limits.integer("batchLines", 1, 100_000).orElse(1_000));
    limits.end();
    return read;
  }

  private static LeaseTimes leases(Section top) {
    Section lease = top.section("lease");
    LeaseTimes times =
        new LeaseTimes(
            lease.duration("default", SECOND, DAY).orElse(Duration.ofSeconds(30)),
            lease.duration("longest", SECOND, DAY).orElse(Duration.ofMinutes(15)));
    if (times.usual().compareTo(times.longest()) > 0) {
      lease.problem("default", "must not be longer than lease.longest");
    }
    lease.end();
    return times;
  }

  private static List<ApiKey> keys(Section top) {
    List<ApiKey> keys = new ArrayList<>();
    for (Section section : top.sections("keys")) {
      String name = section.required("name").orElse("");
      String hash = section.required("hash").orElse("");
      if (!hash.isEmpty() && !ApiKey.HASH.matcher(hash).matches()) {
        // The value is not repeated: it may be the key itself.
        section.problem(
            "hash", "must be \"sha256:\" and 64 hex digits, as asynq serve --new-key prints it");
      }
      Set<Scope> scopes = EnumSet.noneOf(Scope.class);
      for (String word : section.texts("scopes")) {
        try {
          scopes.add(Scope.valueOf(word.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          section.problem("scopes", "are submit, work and operate, not \"" + word + "\"");
        }
      }
      if (scopes.isEmpty()) {
        section.problem("scopes", "must name one of submit, work and operate, or more");
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

  private static AllowedHosts allowedHosts(Section http) {
    List<String> entries = http.texts("allow");
    try {
      return new AllowedHosts(entries);
    } catch (IllegalArgumentException e) {
      http.problem("allow", "cannot be used: " + e.getMessage());
      return new AllowedHosts(List.of());
    }
  }

  private static Map<String, ConfiguredTask> tasks(Section top, AllowedHosts allowed) {
    Map<String, ConfiguredTask> tasks = new LinkedHashMap<>();
    Map<String, TaskDefinition> definitions = new LinkedHashMap<>();
    Section all = top.section("tasks");
    all.eachSection(
        (name, section) ->
            task(name, section, allowed)
                .ifPresent(
                    task -> {
                      definitions.put(name, task.definition());
                      try {
                        TaskDefinitions.requireOwnQueues(definitions);
                      } catch (IllegalArgumentException e) {
                        section.problem("queue", "cannot be used: " + e.getMessage());
                        definitions.remove(name);
                      }
                      tasks.put(name, task);
                    }));
    return tasks;
  }

  private static Optional<ConfiguredTask> task(String name, Section section, AllowedHosts allowed) {
    TaskKind kind = section.choice("kind", TaskKind.class).orElse(null);
    if (kind == null) {
      if (!section.has("kind")) {
        section.problem("kind", "is missing: http, cmd or worker");
      }
      return Optional.empty();
    }
    TaskDefinition.Builder builder = TaskDefinition.builder(name, kind).fromFile(true);
    section.text("queue").ifPresent(builder::queue);
    section.integer("weight", 1, 1_000).ifPresent(builder::weight);
    section.integer("maxRun", 1, 1_000_000).ifPresent(builder::maxRun);
    ordered(section, builder);
    section.duration("timeout", Duration.ofMillis(1), YEAR).ifPresent(builder::timeout);
    section.integer("retries", 0, 10_000).ifPresent(builder::maxRetry);
    section.duration("backoff", Duration.ofMillis(1), YEAR).ifPresent(builder::backoff);
    section
        .duration("longestBackoff", Duration.ofMillis(1), YEAR)
        .ifPresent(builder::longestBackoff);
    section.duration("retention", Duration.ZERO, YEAR).ifPresent(builder::retention);
    section.duration("unique", SECOND, YEAR).ifPresent(builder::uniqueFor);
    section.integer("maxPending", 1, Integer.MAX_VALUE).ifPresent(builder::maxPending);
    schema(section, builder);
    HttpSpec http = kind == TaskKind.HTTP ? http(section, allowed) : null;
    CmdSpec cmd = kind == TaskKind.CMD ? cmd(section) : null;
    Optional<TaskDefinition> definition = built(section, builder);
    ScheduleEntry schedule = definition.map(d -> schedule(section, d)).orElse(null);
    section.end();
    return definition.map(d -> new ConfiguredTask(d, http, cmd, schedule));
  }

  private static void ordered(Section section, TaskDefinition.Builder builder) {
    section
        .text("ordered")
        .ifPresent(
            word -> {
              switch (word) {
                case "true" -> builder.ordered(true);
                // One at a time; one that fails lets the next go first.
                case "skip" -> builder.maxRun(1);
                case "false" -> {}
                default -> section.problem("ordered", "must be true, false or skip");
              }
              if (!word.equals("false") && section.has("maxRun")) {
                section.problem("maxRun", "is 1 where ordered is set; leave one of them out");
              }
            });
  }

  private static void schema(Section section, TaskDefinition.Builder builder) {
    section
        .json("params")
        .ifPresent(
            schema -> {
              String text = new String(Json.bytes(schema), StandardCharsets.UTF_8);
              try {
                new ParamsSchema(text);
                builder.paramsSchema(text);
              } catch (IllegalArgumentException e) {
                section.problem("params", "is no JSON Schema: " + e.getMessage());
              }
            });
  }

  private static Optional<TaskDefinition> built(Section section, TaskDefinition.Builder builder) {
    try {
      return Optional.of(builder.build());
    } catch (IllegalArgumentException e) {
      section.problem("kind", "cannot be defined so: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static @Nullable HttpSpec http(Section task, AllowedHosts allowed) {
    Section section = task.section("http");
    URI url = section.required("url").map(text -> url(section, text, allowed)).orElse(null);
    String method = section.text("method", "POST");
    if (!Set.of("POST", "PUT", "PATCH").contains(method)) {
      section.problem("method", "must be POST, PUT or PATCH: \"" + method + "\"");
    }
    String secret = section.text("secret").orElse(null);
    if (secret != null && secret.length() < 16) {
      section.problem("secret", "must have 16 characters or more");
    }
    Duration read =
        section.duration("readTimeout", Duration.ofMillis(10), DAY).orElse(Duration.ofMinutes(5));
    int limit = section.size("resultLimit", 0, 16 << 20).orElse(64L << 10).intValue();
    section.end();
    return url == null ? null : new HttpSpec(url, method, secret, read, limit);
  }

  private static @Nullable URI url(Section section, String text, AllowedHosts allowed) {
    URI url;
    try {
      url = URI.create(text);
    } catch (IllegalArgumentException e) {
      section.problem("url", "is no URL");
      return null;
    }
    boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
    if (!web || url.getHost() == null || url.getUserInfo() != null) {
      section.problem("url", "must be http://host/… or https://host/…, without a user");
      return null;
    }
    if (!allowed.allowsHost(url.getHost())) {
      section.problem(
          "url", "is at %s, which is not in http.allow at the top".formatted(url.getHost()));
      return null;
    }
    return url;
  }

  private static @Nullable CmdSpec cmd(Section task) {
    Section section = task.section("cmd");
    String program = section.required("program").orElse(null);
    if (program != null && !Path.of(program).isAbsolute()) {
      section.problem("program", "must be an absolute path: \"" + program + "\"");
    } else if (program != null && !Files.isExecutable(Path.of(program))) {
      section.problem("program", "cannot be executed: \"" + program + "\"");
    }
    List<ArgumentTemplate> arguments = new ArrayList<>();
    for (String text : section.texts("args")) {
      ArgumentTemplate.problemOf(text).ifPresent(words -> section.problem("args", words));
      arguments.add(new ArgumentTemplate(text));
    }
    Map<String, ArgumentTemplate> environment = new LinkedHashMap<>();
    section
        .textMap("env")
        .forEach(
            (name, text) -> {
              ArgumentTemplate.problemOf(text).ifPresent(words -> section.problem("env", words));
              environment.put(name, new ArgumentTemplate(text));
            });
    String directory = section.text("directory").orElse(null);
    if (directory != null && !Files.isDirectory(Path.of(directory))) {
      section.problem("directory", "is none: \"" + directory + "\"");
    }
    CmdSpec spec =
        new CmdSpec(
            program == null ? "" : program,
            arguments,
            environment,
            directory,
            section.duration("snooze", SECOND, YEAR).orElse(Duration.ofSeconds(30)),
            section
                .duration("killGrace", Duration.ZERO, Duration.ofMinutes(1))
                .orElse(Duration.ofSeconds(1)),
            section.size("resultLimit", 0, 16 << 20).orElse(64L << 10).intValue(),
            section.size("memory", 1 << 20, Long.MAX_VALUE / 2).orElse(0L),
            section.duration("cpu", SECOND, YEAR).orElse(Duration.ZERO),
            section.flag("logOutput"));
    section.end();
    return program == null ? null : spec;
  }

  /** Either the expression, or a mapping with a zone and params. */
  private static @Nullable ScheduleEntry schedule(Section section, TaskDefinition definition) {
    if (!section.has("schedule")) {
      return null;
    }
    Section schedule = section.section("schedule");
    String cron = schedule.required("cron").orElse("");
    ZoneId zone = ZoneOffset.UTC;
    Optional<String> zoneName = schedule.text("zone");
    try {
      zone = zoneName.map(ZoneId::of).orElse(zone);
    } catch (DateTimeException e) {
      schedule.problem("zone", "is unknown: \"" + zoneName.orElse("") + "\"");
    }
    JsonNode params = schedule.json("params").orElseGet(Json::object);
    schedule.end();
    try {
      return new ScheduleEntry(
          "task:" + definition.name(),
          Schedule.cron(cron, zone),
          Task.of(definition.name(), Payload.of(Json.bytes(params))),
          definition.options(),
          MissedPolicy.skip());
    } catch (IllegalArgumentException e) {
      schedule.problem("cron", "cannot be used: " + e.getMessage());
      return null;
    }
  }
}
