package io.asynq4j.benchmarks.harness;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Describes the environment of a measurement. */
public final class EnvironmentInfo {

  private EnvironmentInfo() {}

  /** In display order; callers may add entries. */
  public static Map<String, String> of(BenchmarkRedis redis) {
    Map<String, String> server = redis.info("server");
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
    environment.put(
        "Redis",
        "%s, build %s, %s"
            .formatted(
                server.get("redis_version"),
                server.get("redis_build_id"),
                redis.info("memory").get("mem_allocator")));
    environment.put(
        "Java",
        "%s %s"
            .formatted(System.getProperty("java.vm.name"), System.getProperty("java.vm.version")));
    environment.put(
        "system",
        "%s %s, %d processors"
            .formatted(
                System.getProperty("os.name"),
                System.getProperty("os.arch").toLowerCase(Locale.ROOT),
                Runtime.getRuntime().availableProcessors()));
    return environment;
  }
}
