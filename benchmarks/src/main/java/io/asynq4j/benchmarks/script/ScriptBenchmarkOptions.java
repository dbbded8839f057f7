package io.asynq4j.benchmarks.script;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Command line options.
 *
 * @param redis URL of a Redis to measure; null to start one
 * @param quick small sizes, to test whether it works
 * @param json print JSON
 * @param parts parts to measure
 * @param scripts measure only scripts whose name contains one of these; empty for all
 */
record ScriptBenchmarkOptions(
    @Nullable String redis, boolean quick, boolean json, Set<Part> parts, List<String> scripts) {

  /** Tables of the report. */
  enum Part {
    SCRIPTS,
    GROWTH,
    LARGE,
    LANES,
    MEMORY
  }

  static final String USAGE =
      """
      Measure the cost of each script. Options:
        --redis URL      URL of an empty Redis to measure. Its data is deleted afterwards. Default: start
                         one, with redis-server from the PATH or else the bundled one.
        --quick          Use small sizes and few calls; takes a few seconds.
        --only PARTS     Measure only these parts, separated by commas: scripts, growth, large, lanes,
                         memory. Default: all.
        --scripts TEXTS  Measure only scripts whose name contains one of these texts, separated by
                         commas, e.g. archive,unique. Default: all.
        --json           Print the report as JSON.""";

  boolean wants(Workload workload) {
    return scripts.isEmpty() || scripts.stream().anyMatch(workload.name()::contains);
  }

  static ScriptBenchmarkOptions parse(List<String> arguments) {
    String redis = null;
    boolean quick = false;
    boolean json = false;
    Set<Part> parts = EnumSet.allOf(Part.class);
    List<String> scripts = List.of();
    for (int i = 0; i < arguments.size(); i++) {
      switch (arguments.get(i)) {
        case "--quick" -> quick = true;
        case "--json" -> json = true;
        case "--redis" -> {
          if (++i == arguments.size()) {
            throw new IllegalArgumentException("--redis needs a URL\n" + USAGE);
          }
          redis = arguments.get(i);
        }
        case "--only" -> {
          if (++i == arguments.size()) {
            throw new IllegalArgumentException("--only needs names of parts\n" + USAGE);
          }
          parts = parts(arguments.get(i));
        }
        case "--scripts" -> {
          if (++i == arguments.size()) {
            throw new IllegalArgumentException("--scripts needs parts of script names\n" + USAGE);
          }
          scripts = List.of(arguments.get(i).split(",", -1));
        }
        default ->
            throw new IllegalArgumentException("unknown option " + arguments.get(i) + "\n" + USAGE);
      }
    }
    return new ScriptBenchmarkOptions(redis, quick, json, parts, scripts);
  }

  private static Set<Part> parts(String names) {
    Set<Part> parts = EnumSet.noneOf(Part.class);
    for (String name : names.split(",", -1)) {
      parts.add(
          Arrays.stream(Part.values())
              .filter(part -> part.name().equalsIgnoreCase(name.strip()))
              .findFirst()
              .orElseThrow(
                  () -> new IllegalArgumentException("unknown part " + name + "\n" + USAGE)));
    }
    return parts;
  }
}
