package io.asynq4j.service;

import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts, logs and audits requests. Thread-safe. */
final class Records {

  private static final Logger log = LoggerFactory.getLogger("io.asynq4j.service.requests");

  private final ServiceMetrics metrics;
  private final AuditLog audit;
  private final BooleanSupplier logRequests;

  Records(ServiceMetrics metrics, AuditLog audit, BooleanSupplier logRequests) {
    this.metrics = metrics;
    this.audit = audit;
    this.logRequests = logRequests;
  }

  void answered(Visit visit, int status) {
    long nanos = visit.nanos();
    metrics.answered(visit.knownMethod(), visit.routePath(), status, nanos);
    if (visit.isOperation() || status == 401 || status == 403) {
      audit.add(visit.key(), visit.from(), visit.method(), visit.path(), status);
    }
    if (logRequests.getAsBoolean()) {
      log.atInfo()
          .addKeyValue("method", visit.method())
          .addKeyValue("route", visit.routePath())
          .addKeyValue("status", status)
          .addKeyValue("micros", nanos / 1_000)
          .addKeyValue("key", visit.key())
          .addKeyValue("from", visit.from())
          .log("answered");
    }
  }
}
