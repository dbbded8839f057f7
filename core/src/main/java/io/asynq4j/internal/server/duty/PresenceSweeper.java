package io.asynq4j.internal.server.duty;

import io.asynq4j.internal.broker.Presence;
import java.time.Duration;

/**
 * Unregisters schedulers whose processes have vanished, since no other scheduler may exist to do
 * it.
 */
public final class PresenceSweeper implements Duty {

  private static final Duration INTERVAL = Duration.ofSeconds(30);

  private final Presence presence;
  private final Duration interval;

  /**
   * @param heartbeat of this server
   */
  public PresenceSweeper(Presence presence, Duration heartbeat) {
    this.presence = presence;
    Duration some = heartbeat.multipliedBy(4);
    this.interval = some.compareTo(INTERVAL) < 0 ? some : INTERVAL;
  }

  @Override
  public String name() {
    return "presence sweeper";
  }

  @Override
  public Duration interval() {
    return interval;
  }

  @Override
  public Duration run() {
    presence.forgetGoneSchedulers();
    return interval;
  }
}
