package io.asynq4j.cli.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that works with Redis. */
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
          "'%s' changes something, so it cannot be watched".formatted(spec.qualifiedName()),
          "leave --watch out");
    }
    check();
    try (Session session = Session.open(options)) {
      return every == null
          ? run(session)
          : new WatchMode(options.surroundings(), spec.qualifiedName(), every)
              .run(out -> run(session.showingAt(out)));
    }
  }

  /** Refuses what makes no sense before Redis is asked. */
  protected void check() {}

  /** Returns the exit code. */
  protected abstract int run(Session session);

  /** Whether it only looks, so that it can be done again and again. */
  protected boolean isWatchable() {
    return false;
  }

  /** The options, for commands that need more than Redis. */
  protected final GlobalOptions options() {
    return GlobalOptions.of(spec);
  }
}
