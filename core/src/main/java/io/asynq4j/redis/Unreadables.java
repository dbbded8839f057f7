package io.asynq4j.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries of other processes that cannot be read and are left out of what is listed: one warning
 * for each, however often it is met. Thread-safe.
 */
final class Unreadables {

  private static final Logger log = LoggerFactory.getLogger(Unreadables.class);

  /** Beyond these, nothing is remembered and nothing told: somebody fills Redis with rubbish. */
  private static final int MOST = 1000;

  private final Set<String> told = ConcurrentHashMap.newKeySet();

  void skipped(String entry, Exception why) {
    if (told.size() < MOST && told.add(entry)) {
      log.warn("skipped {}, which cannot be read: {}", entry, why.getMessage());
    }
  }
}
