package io.asynq4j.service.api;

import io.asynq4j.http.Json;
import io.asynq4j.http.RecordLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Audit log: one line of JSON for each operation and each refused request, in a file or in the
 * application log. The file is opened for each line, so that it can be rotated. Thread-safe.
 */
public final class AuditLog {

  private static final RecordLog log = new RecordLog("io.asynq4j.service.audit");

  private final Supplier<@Nullable Path> file;
  private final Clock clock;

  public AuditLog(Supplier<@Nullable Path> file, Clock clock) {
    this.file = file;
    this.clock = clock;
  }

  /**
   * @param key the name of the caller's key; null without a valid key
   */
  void add(@Nullable String key, String from, String method, String path, int status) {
    ObjectNode line = Json.object();
    line.put("at", clock.instant().toString());
    line.put("key", key);
    line.put("from", from);
    line.put("method", method);
    line.put("path", path);
    line.put("status", status);
    write(Json.text(line));
  }

  private synchronized void write(String line) {
    Path path = file.get();
    if (path == null) {
      log.write(line);
      return;
    }
    try {
      Files.writeString(path, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      log.write(
          "the audit log %s could not be written (%s): %s".formatted(path, e.getMessage(), line));
    }
  }
}
