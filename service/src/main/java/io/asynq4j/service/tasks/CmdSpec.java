package io.asynq4j.service.tasks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Program that a hosted task of kind cmd runs. Immutable.
 *
 * @param program an absolute path
 * @param memory maximum address space in bytes; 0 = no limit
 * @param cpu maximum CPU time; zero = no limit
 * @param logOutput whether lines of its output are logged
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
