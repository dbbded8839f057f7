package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.search.BulkJob;
import io.asynq4j.dashboard.internal.search.BulkJobRequest;
import io.asynq4j.dashboard.internal.search.BulkJobRunner;
import io.asynq4j.dashboard.internal.search.BulkJobRunners;
import io.asynq4j.dashboard.internal.search.Query;
import io.asynq4j.dashboard.internal.search.QueryParser;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.RequestFields;
import io.asynq4j.http.Route;
import java.time.Instant;
import java.util.List;

/** Bulk jobs. */
public final class BulkJobResource {

  private final BulkJobRunners jobs;

  public BulkJobResource(BulkJobRunners jobs) {
    this.jobs = jobs;
  }

  public List<Route<Role, Exchange>> routes() {
    return List.of(
        Route.of("listJobs", "GET", "/api/v1/jobs", Role.VIEWER, this::list),
        Route.of("startJob", "POST", "/api/v1/jobs", Role.OPERATOR, this::start),
        Route.of("getJob", "GET", "/api/v1/jobs/{id}", Role.VIEWER, this::get),
        Route.of("stopJob", "POST", "/api/v1/jobs/{id}/stop", Role.OPERATOR, this::stop));
  }

  private BulkJobRunner jobs(Exchange exchange) {
    return jobs.of(exchange.source());
  }

  private ApiResponse list(Exchange exchange) {
    List<BulkJob> all = jobs(exchange).all(exchange.user());
    return ApiResponse.ok(
        new JsonFields()
            .put("items", all.stream().map(job -> job.fields().map()).toList())
            .put("total", all.size()));
  }

  private ApiResponse get(Exchange exchange) {
    return ApiResponse.ok(jobs(exchange).get(exchange.path("id"), exchange.user()).fields());
  }

  private ApiResponse start(Exchange exchange) {
    RequestFields body =
        exchange
            .body()
            .knowing(
                "action",
                "query",
                "queue",
                "at",
                "in",
                "after",
                "limit",
                "dropOldest",
                "repair",
                "removeUnreadable",
                "trimArchives",
                "reason");
    BulkJobRequest request = read(body, exchange);
    exchange.reason(body.text("reason").orElse(null));
    Query query = request.query();
    exchange.target(request.action().word() + " " + (query == null ? "" : query.text()));
    BulkJob job = jobs(exchange).start(request, exchange.user(), exchange.address());
    return ApiResponse.json(202, job.fields())
        .with("Location", exchange.location("jobs", job.id()));
  }

  private static BulkJobRequest read(RequestFields body, Exchange exchange) {
    BulkJobRequest.Action action = BulkJobRequest.Action.ofWord(body.required("action"));
    boolean repair = body.flag("repair", false);
    if (action == BulkJobRequest.Action.DOCTOR) {
      // Before it counts as a read: a refusal is recorded.
      requireWholeRedis(repair, exchange.user());
    }
    if (!action.changes(repair)) {
      exchange.readOnly();
    }
    String text = body.text("query").orElse(null);
    String to = body.text("queue").orElse(null);
    Long limit = body.number("limit").orElse(null);
    Instant at =
        action == BulkJobRequest.Action.RESCHEDULE ? body.timeFrom(exchange.source().now()) : null;
    return new BulkJobRequest(
        action,
        text == null ? null : QueryParser.parse(text),
        limit == null ? Long.MAX_VALUE : limit,
        TaskActionResource.afterCancel(body),
        to == null ? null : exchange.visible(to),
        at,
        body.flag("dropOldest", false),
        repair,
        body.flag("removeUnreadable", false),
        body.flag("trimArchives", false));
  }

  private static void requireWholeRedis(boolean repair, User user) {
    if (!user.grant().seesAll()) {
      throw Problems.forbidden("The check reads all queues. It requires access to all of them.");
    }
    if (repair && !user.grant().role().mayDo(Role.ADMIN)) {
      throw Problems.forbidden(
          "Repairs require the role admin. Operators can check without repairs.");
    }
  }

  private ApiResponse stop(Exchange exchange) {
    BulkJob job = jobs(exchange).get(exchange.path("id"), exchange.user());
    if (!job.isRunning()) {
      throw Problems.conflict("wrong-state", "Job " + job.id() + " has already ended.");
    }
    if (!job.changes()) {
      exchange.readOnly();
    }
    job.stop();
    return ApiResponse.NO_CONTENT;
  }
}
