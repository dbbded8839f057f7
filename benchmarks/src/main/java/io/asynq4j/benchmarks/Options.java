package io.asynq4j.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for on the command line.
 *
 * @param redis the URL of a Redis to measure; null = one is started
 * @param quick small sizes: whether it works, not how fast it is
 * @param json for programs, not for people
 */
record Options(@Nullable String redis, boolean quick, boolean json) {

  static final String USAGE =
      """
      Measures what each script costs. Options:
        --redis URL   an empty Redis to measure; it is emptied afterwards. Without it, one is started:
                      redis-server from the PATH, else the bundled one
        --quick       small sizes and few calls, a few seconds in all
        --json        the report as JSON""";

  static Options parse(List<String> arguments) {
    String redis = null;
    boolean quick = false;
    boolean json = false;
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
        default ->
            throw new IllegalArgumentException("unknown option " + arguments.get(i) + "\n" + USAGE);
      }
    }
    return new Options(redis, quick, json);
  }
}
