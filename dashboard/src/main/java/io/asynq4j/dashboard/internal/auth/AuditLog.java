package io.asynq4j.dashboard.internal.auth;

import io.asynq4j.http.Json;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.RecordLog;
import io.asynq4j.internal.text.TextExcerpt;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The audit log of changes. Entries go to the logger {@code asynq.audit}; the newest are kept in
 * memory for the audit page. Thread-safe.
 */
public final class AuditLog {

  static final int KEPT = 1_000;

  private static final RecordLog log = new RecordLog("asynq.audit");

  private final Deque<Entry> newest = new ArrayDeque<>();

  /**
   * One change, with its user and result.
   *
   * @param user null if authentication is disabled
   * @param count number of changed tasks or other objects; null if not counted
   * @param outcome {@code done}, or the error
   */
  public record Entry(
      Instant at,
      @Nullable String user,
      String address,
      String redis,
      String action,
      String target,
      @Nullable Long count,
      String outcome,
      @Nullable String reason) {

    public JsonFields fields() {
      return new JsonFields()
          .put("at", at)
          .put("user", user)
          .put("address", address)
          .put("redis", redis)
          .put("action", action)
          .put("target", target)
          .put("count", count)
          .put("outcome", outcome)
          .put("reason", reason);
    }
  }

  public void add(Entry change) {
    synchronized (this) {
      newest.addFirst(change);
      if (newest.size() > KEPT) {
        newest.removeLast();
      }
    }
    log.write(
        "user=%s address=%s redis=%s action=%s target=%s count=%s outcome=%s reason=%s"
            .formatted(
                quoted(change.user()),
                change.address(),
                quoted(change.redis()),
                change.action(),
                quoted(change.target()),
                change.count() == null ? "-" : change.count(),
                quoted(change.outcome()),
                quoted(change.reason())));
  }

  /** Encodes a value as a JSON string, so that no name breaks the line or its quotes. */
  private static String quoted(@Nullable String text) {
    return text == null ? "-" : Json.text(TextExcerpt.of(text, 1_000));
  }

  /** Returns the newest entries first. */
  public synchronized List<Entry> entries() {
    return List.copyOf(newest);
  }
}
