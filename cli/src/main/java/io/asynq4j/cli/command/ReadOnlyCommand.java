package io.asynq4j.cli.command;

/** A command that only reads. */
public abstract class ReadOnlyCommand extends RedisCommand {

  @Override
  protected final boolean isWatchable() {
    return true;
  }
}
