package io.asynq4j.internal.server.duty;

import java.time.Duration;

/** A chore that a server does from time to time. */
public interface Duty {

  String name();

  /** Does it, and says how long until the next time. May throw: it is then done again later. */
  Duration run();

  /** How long until it is done again after it has failed. */
  Duration interval();
}
