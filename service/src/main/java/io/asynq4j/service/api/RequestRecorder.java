package io.asynq4j.service.api;

import io.asynq4j.http.RecordLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Counts, logs and audits requests. Thread-safe. */
public final class RequestRecorder {

  private static final RecordLog log = new RecordLog("io.asynq4j.service.requests");

  private final ServiceMetrics metrics;
  private final AuditLog audit;
  private final BooleanSupplier logRequests;

  public RequestRecorder(ServiceMetrics metrics, AuditLog audit, BooleanSupplier logRequests) {
    this.metrics = metrics;
    this.audit = audit;
    this.logRequests = logRequests;
  }

  void answered(RequestRecord record, int status) {
    long nanos = record.nanos();
    metrics.answered(record.knownMethod(), record.routePath(), status, nanos);
    if (record.isOperation() || status == 401 || status == 403) {
      audit.add(record.key(), record.from(), record.method(), record.path(), status);
    }
    if (logRequests.getAsBoolean()) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("method", record.method());
      values.put("route", record.routePath());
      values.put("status", status);
      values.put("micros", nanos / 1_000);
      values.put("key", String.valueOf(record.key()));
      values.put("from", record.from());
      log.write("answered", values);
    }
  }
}
