package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.auth.AuditLog;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.view.PageCursor;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Route;
import java.util.List;
import java.util.Objects;

/** The audit log. */
public final class AuditResource {

  private final AuditLog audit;

  public AuditResource(AuditLog audit) {
    this.audit = audit;
  }

  public List<Route<Role, Exchange>> routes() {
    return List.of(Route.of("audit", "GET", "/api/v1/audit", Role.OPERATOR, this::list));
  }

  /** Users that may not see all queues get only their own entries. */
  private ApiResponse list(Exchange exchange) {
    User user = exchange.user();
    List<AuditLog.Entry> visible =
        audit.entries().stream()
            .filter(entry -> user.grant().seesAll() || Objects.equals(entry.user(), user.name()))
            .toList();
    return ApiResponse.ok(
        PageCursor.page(
            visible, exchange.limit(), exchange.param("cursor"), AuditLog.Entry::fields));
  }
}
