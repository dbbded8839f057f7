package io.asynq4j.benchmarks.script;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for on the command line.
 *
 * @param redis the URL of a Redis to measure; null = one is started
 * @param quick small sizes: whether it works, not how fast it is
 * @param json for programs, not for people
 * @param parts what is measured
 * @param scripts only scripts with one of these texts in their names; empty = all
 */
record ScriptBenchmarkOptions(
    @Nullable String redis, boolean quick, boolean json, Set<Part> parts, List<String> scripts) {

  /** The tables of the report. */
  enum Part {
    SCRIPTS,
    GROWTH,
    LARGE,
    LANES,
    MEMORY
  }

  static final String USAGE =
      """
      Measures what each script costs. Options:
        --redis URL      an empty Redis to measure; it is emptied afterwards. Without it, one is started:
                         redis-server from the PATH, else the bundled one
        --quick          small sizes and few calls, a few seconds in all
        --only PARTS     some of scripts, growth, large, lanes, memory, with commas between them
        --scripts TEXTS  only scripts that have one of these in their names, as in "archive,unique"
        --json           the report as JSON""";

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
            throw new IllegalArgumentException("--redis needs a URL");
          }
          redis = arguments.get(i);
        }
        case "--only" -> {
          if (++i == arguments.size()) {
            throw new IllegalArgumentException("--only needs the names of parts\n" + USAGE);
          }
          parts = parts(arguments.get(i));
        }
        case "--scripts" -> {
          if (++i == arguments.size()) {
            throw new IllegalArgumentException("--scripts needs parts of their names\n" + USAGE);
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
                  () -> new IllegalArgumentException("no part is named " + name + "\n" + USAGE)));
    }
    return parts;
  }
}
