package io.asynq4j.benchmarks.harness;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What figures were measured on: without it they say nothing. */
public final class EnvironmentInfo {

  private EnvironmentInfo() {}

  /** In the order in which it is shown; may be added to. */
  public static Map<String, String> of(BenchmarkRedis lab) {
    Map<String, String> redis = lab.info("server");
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
    environment.put(
        "Redis",
        "%s, build %s, %s"
            .formatted(
                redis.get("redis_version"),
                redis.get("redis_build_id"),
                lab.info("memory").get("mem_allocator")));
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
