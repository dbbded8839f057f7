package io.asynq4j.cli.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that needs a connection to Redis. */
public abstract class RedisCommand implements Callable<Integer> {

  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Override
  public final Integer call() {
    GlobalOptions options = GlobalOptions.of(spec);
    Duration every = options.watch();
    if (every != null && !isWatchable()) {
      throw CliException.usage(
          "'%s' changes data and does not support --watch".formatted(spec.qualifiedName()),
          "Remove --watch.");
    }
    check();
    try (Session session = Session.open(options)) {
      return every == null
          ? run(session)
          : new WatchMode(options.environment(), spec.qualifiedName(), every)
              .run(out -> run(session.showingAt(out)));
    }
  }

  /** Validates options before the command connects to Redis. */
  protected void check() {}

  /** Runs the command and returns the exit code. */
  protected abstract int run(Session session);

  /** Whether the command only reads and can be repeated with --watch. */
  protected boolean isWatchable() {
    return false;
  }

  /** Global options. */
  protected final GlobalOptions options() {
    return GlobalOptions.of(spec);
  }
}
