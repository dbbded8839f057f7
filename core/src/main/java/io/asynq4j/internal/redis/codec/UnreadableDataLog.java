package io.asynq4j.internal.redis.codec;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of unreadable data in Redis, once per place. Thread-safe. */
public final class UnreadableDataLog {

  private static final Logger log = LoggerFactory.getLogger(UnreadableDataLog.class);

  /** Limits memory and log lines if very many rows are broken. */
  private static final int MAX_WARNINGS = 1000;

  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * Logs a warning, unless this place was already reported.
   *
   * @param place the unreadable data
   * @param consequence what happens instead
   */
  public void warn(String place, Exception why, String consequence) {
    if (warned.size() < MAX_WARNINGS && warned.add(place)) {
      log.warn("cannot read {}: {}; {}", place, why.getMessage(), consequence);
    }
  }
}
