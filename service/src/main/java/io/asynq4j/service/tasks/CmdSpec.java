package io.asynq4j.service.tasks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a hosted task of kind cmd runs. Immutable.
 *
 * @param program an absolute path
 * @param memory the most address space in bytes; 0 = any
 * @param cpu the most CPU time; zero = any
 * @param logOutput whether lines of its output go to the log
 */
public record CmdSpec(
    String program,
    List<ArgumentTemplate> arguments,
    Map<String, ArgumentTemplate> environment,
    @Nullable String directory,
    Duration snooze,
    Duration killGrace,
    int resultLimit,
    long memory,
    Duration cpu,
    boolean logOutput) {

  public CmdSpec {
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  @Override
  public String toString() {
    return "CmdSpec[" + program + "]";
  }
}
