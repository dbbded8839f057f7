package io.asynq4j.service.config;

import static java.util.stream.Collectors.toSet;

import io.asynq4j.Payload;
import io.asynq4j.RateLimit;
import io.asynq4j.Task;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.FollowUps;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.http.Json;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.service.definition.ParamsSchema;
import io.asynq4j.service.tasks.AllowedHosts;
import io.asynq4j.service.tasks.ArgumentTemplate;
import io.asynq4j.service.tasks.CmdSpec;
import io.asynq4j.service.tasks.ConfiguredTask;
import io.asynq4j.service.tasks.HttpSpec;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the {@code tasks} section of a file. */
public final class TaskSectionReader {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration YEAR = Duration.ofDays(366);

  private TaskSectionReader() {}

  /** Returns the tasks by name, including those that callbacks need. */
  public static Map<String, ConfiguredTask> read(ConfigurationSection all, AllowedHosts allowed) {
    Map<String, ConfiguredTask> tasks = new LinkedHashMap<>();
    Map<String, ConfigurationSection> sections = new LinkedHashMap<>();
    all.eachSection(
        (name, section) -> {
          sections.put(name, section);
          task(name, section, allowed).ifPresent(task -> tasks.put(name, task));
        });
    Map<String, ConfiguredTask> withCallbacks = new LinkedHashMap<>();
    Map<String, TaskDefinition> definitions = new LinkedHashMap<>();
    tasks.forEach(
        (name, task) -> {
          ConfigurationSection section = Objects.requireNonNull(sections.get(name), name);
          add(task, section, withCallbacks, definitions);
          task.callbacks().forEach(each -> add(each, section, withCallbacks, definitions));
          requireFollowUps(task, section, tasks, sections.keySet());
        });
    return withCallbacks;
  }

  private static void add(
      ConfiguredTask task,
      ConfigurationSection section,
      Map<String, ConfiguredTask> tasks,
      Map<String, TaskDefinition> definitions) {
    String name = task.definition().name();
    if (tasks.putIfAbsent(name, task) != null) {
      section.problem("callbacks", "and a task have the same name \"" + name + "\"");
      return;
    }
    definitions.put(name, task.definition());
    try {
      TaskDefinitions.requireOwnQueues(definitions);
    } catch (IllegalArgumentException e) {
      section.problem("queue", "is invalid: " + e.getMessage());
      definitions.remove(name);
    }
  }

  /** A follow-up that is not defined would be lost, and one that follows itself would never end. */
  private static void requireFollowUps(
      ConfiguredTask task,
      ConfigurationSection section,
      Map<String, ConfiguredTask> tasks,
      Set<String> namesOfFile) {
    FollowUps followUps = task.definition().followUps();
    Set<String> own =
        task.callbacks().stream().map(each -> each.definition().name()).collect(toSet());
    for (String each :
        Arrays.asList(followUps.before(), followUps.success(), followUps.failure())) {
      if (each == null || own.contains(each)) {
        continue;
      }
      ConfiguredTask next = tasks.get(each);
      if (!namesOfFile.contains(each)) {
        section.problem("callbacks", "name the task \"" + each + "\", which is not defined");
      } else if (next != null && !next.definition().followUps().isNone()) {
        section.problem(
            "callbacks", "name the task \"" + each + "\", which must have none of its own");
      }
    }
  }

  private static Optional<ConfiguredTask> task(
      String name, ConfigurationSection section, AllowedHosts allowed) {
    TaskKind kind = section.choice("kind", TaskKind.class).orElse(null);
    if (kind == null) {
      if (!section.has("kind")) {
        section.problem("kind", "is required: http, cmd or worker");
      }
      return Optional.empty();
    }
    TaskDefinition.Builder builder = TaskDefinition.builder(name, kind).fromFile(true);
    section.text("queue").ifPresent(builder::queue);
    section.integer("weight", 1, 1_000).ifPresent(builder::weight);
    Optional<Integer> maxRun = section.integer("maxRun", 1, 1_000_000);
    maxRun.ifPresent(builder::maxRun);
    ordered(section, maxRun, builder);
    section.duration("timeout", Duration.ofMillis(1), YEAR).ifPresent(builder::timeout);
    section.integer("retries", 0, 10_000).ifPresent(builder::maxRetry);
    section.duration("backoff", Duration.ofMillis(1), YEAR).ifPresent(builder::backoff);
    section
        .duration("longestBackoff", Duration.ofMillis(1), YEAR)
        .ifPresent(builder::longestBackoff);
    section.duration("retention", Duration.ZERO, YEAR).ifPresent(builder::retention);
    section.duration("unique", SECOND, YEAR).ifPresent(builder::uniqueFor);
    section.integer("maxPending", 1, Integer.MAX_VALUE).ifPresent(builder::maxPending);
    rate(section).ifPresent(builder::rate);
    schema(section, builder);
    List<ConfiguredTask> callbacks = new ArrayList<>();
    builder.followUps(callbacks(name, section, allowed, callbacks));
    HttpSpec http = kind == TaskKind.HTTP ? http(section, allowed) : null;
    CmdSpec cmd = kind == TaskKind.CMD ? cmd(section) : null;
    Optional<TaskDefinition> definition = built(section, builder);
    ScheduleEntry schedule = definition.map(d -> schedule(section, d)).orElse(null);
    section.end();
    return definition.map(d -> new ConfiguredTask(d, http, cmd, schedule, callbacks));
  }

  private static Optional<RateLimit> rate(ConfigurationSection section) {
    Optional<Integer> burst = section.integer("burst", 1, 1_000_000);
    Optional<String> text = section.text("rate");
    if (text.isEmpty()) {
      if (burst.isPresent()) {
        section.problem("burst", "requires a rate");
      }
      return Optional.empty();
    }
    try {
      RateLimit rate = RateLimit.parse(text.get());
      if (rate.isUnlimited()) {
        burst.ifPresent(
            tasks ->
                section.problem(
                    "burst",
                    "is %d, but rate: %s has no burst; remove one of them"
                        .formatted(tasks, text.get())));
        return Optional.empty();
      }
      return Optional.of(burst.map(rate::withBurst).orElse(rate));
    } catch (IllegalArgumentException e) {
      section.problem("rate", "is invalid: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static FollowUps callbacks(
      String name, ConfigurationSection task, AllowedHosts allowed, List<ConfiguredTask> added) {
    ConfigurationSection section = task.section("callbacks");
    String before = callback(name, section, "before", allowed, added);
    String success = callback(name, section, "success", allowed, added);
    String failure = callback(name, section, "failure", allowed, added);
    section.end();
    return new FollowUps(before, success, failure);
  }

  /**
   * Calls a callback URL by a separate task, which is signed, retried and visible like any other.
   */
  private static @Nullable String callback(
      String name,
      ConfigurationSection callbacks,
      String event,
      AllowedHosts allowed,
      List<ConfiguredTask> added) {
    if (!callbacks.has(event)) {
      return null;
    }
    ConfigurationSection section = callbacks.section(event);
    if (section.has("task")) {
      String task = section.text("task").orElse(null);
      section.end();
      return task == null || task.isBlank() ? null : task;
    }
    HttpSpec http = httpSpec(section, allowed);
    section.end();
    if (http == null) {
      return null;
    }
    TaskDefinition definition =
        TaskDefinition.builder(name + ".on-" + event, TaskKind.HTTP).fromFile(true).build();
    added.add(new ConfiguredTask(definition, http, null, null, List.of()));
    return definition.name();
  }

  private static void ordered(
      ConfigurationSection section, Optional<Integer> maxRun, TaskDefinition.Builder builder) {
    section
        .text("ordered")
        .ifPresent(
            word -> {
              switch (word) {
                case "true" -> builder.ordered(true);
                // One at a time; after a failure the next task may run first.
                case "skip" -> builder.maxRun(1);
                case "false" -> {}
                default -> section.problem("ordered", "must be true, false or skip");
              }
              if (Set.of("true", "skip").contains(word) && maxRun.isPresent()) {
                section.problem(
                    "maxRun",
                    "is %s, but ordered: %s runs one task at a time; remove one of them"
                        .formatted(maxRun.get(), word));
              }
            });
  }

  private static void schema(ConfigurationSection section, TaskDefinition.Builder builder) {
    section
        .json("params")
        .ifPresent(
            schema -> {
              String text = Json.text(schema);
              try {
                new ParamsSchema(text);
                builder.paramsSchema(text);
              } catch (IllegalArgumentException e) {
                section.problem("params", "is not a valid JSON Schema: " + e.getMessage());
              }
            });
  }

  private static Optional<TaskDefinition> built(
      ConfigurationSection section, TaskDefinition.Builder builder) {
    try {
      return Optional.of(builder.build());
    } catch (IllegalArgumentException e) {
      section.problem("kind", "is invalid: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static @Nullable HttpSpec http(ConfigurationSection task, AllowedHosts allowed) {
    ConfigurationSection section = task.section("http");
    HttpSpec spec = httpSpec(section, allowed);
    section.end();
    return spec;
  }

  private static @Nullable HttpSpec httpSpec(ConfigurationSection section, AllowedHosts allowed) {
    URI url = section.required("url").map(text -> url(section, text, allowed)).orElse(null);
    String method = section.text("method", "POST");
    if (!Set.of("POST", "PUT", "PATCH").contains(method)) {
      section.problem("method", "must be POST, PUT or PATCH, got \"" + method + "\"");
    }
    String secret = section.text("secret").orElse(null);
    if (secret != null && secret.length() < 16) {
      section.problem("secret", "must have at least 16 characters");
    }
    Duration read =
        section.duration("readTimeout", Duration.ofMillis(10), DAY).orElse(Duration.ofMinutes(5));
    int limit = section.size("resultLimit", 0, 16 << 20).orElse(64L << 10).intValue();
    return url == null ? null : new HttpSpec(url, method, secret, read, limit);
  }

  private static @Nullable URI url(
      ConfigurationSection section, String text, AllowedHosts allowed) {
    URI url;
    try {
      url = URI.create(text);
    } catch (IllegalArgumentException e) {
      section.problem("url", "is not a URL");
      return null;
    }
    boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
    if (!web || url.getHost() == null || url.getUserInfo() != null) {
      section.problem("url", "must be http://host/… or https://host/…, without a user");
      return null;
    }
    if (!allowed.allowsHost(url.getHost())) {
      section.problem(
          "url",
          "has the host %s, which the top-level http.allow does not contain"
              .formatted(url.getHost()));
      return null;
    }
    return url;
  }

  private static @Nullable CmdSpec cmd(ConfigurationSection task) {
    ConfigurationSection section = task.section("cmd");
    String program = section.required("program").orElse(null);
    if (program != null && !Path.of(program).isAbsolute()) {
      section.problem("program", "must be an absolute path, got \"" + program + "\"");
    } else if (program != null && !Files.isExecutable(Path.of(program))) {
      section.problem("program", "cannot be executed: \"" + program + "\"");
    }
    List<ArgumentTemplate> arguments = new ArrayList<>();
    for (String text : section.texts("args")) {
      ArgumentTemplate.problemOf(text).ifPresent(problem -> section.problem("args", problem));
      arguments.add(new ArgumentTemplate(text));
    }
    Map<String, ArgumentTemplate> environment = new LinkedHashMap<>();
    section
        .textMap("env")
        .forEach(
            (name, text) -> {
              ArgumentTemplate.problemOf(text)
                  .ifPresent(problem -> section.problem("env", problem));
              environment.put(name, new ArgumentTemplate(text));
            });
    String directory = section.text("directory").orElse(null);
    if (directory != null && !Files.isDirectory(Path.of(directory))) {
      section.problem("directory", "is not a directory: \"" + directory + "\"");
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

  /** Reads either the cron expression, or a mapping with a time zone and params. */
  private static @Nullable ScheduleEntry schedule(
      ConfigurationSection section, TaskDefinition definition) {
    if (!section.has("schedule")) {
      return null;
    }
    ConfigurationSection schedule = section.section("schedule");
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
      return ScheduleEntry.of(
          "task:" + definition.name(),
          Schedule.cron(cron, zone),
          Task.of(definition.name(), Payload.of(Json.bytes(params))),
          definition.options());
    } catch (IllegalArgumentException e) {
      schedule.problem("cron", "is invalid: " + e.getMessage());
      return null;
    }
  }
}
