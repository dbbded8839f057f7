package io.asynq4j.service.api;

import io.asynq4j.BrokerException;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.HttpExchange;
import io.asynq4j.http.Problem;
import io.asynq4j.http.ResponseSender;
import io.asynq4j.http.Route;
import io.asynq4j.http.Router;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.auth.Scope;
import io.asynq4j.service.response.Problems;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authenticates requests, calls their endpoints and sends the responses. Thread-safe. */
public final class ApiServlet extends HttpServlet {

  private static final long serialVersionUID = 1;

  private static final Logger log = LoggerFactory.getLogger(ApiServlet.class);

  private static final String NO_RESPONSE =
      SafeLog.text("the response to a request could not be created");
  private static final String REQUEST_FAILED = SafeLog.text("a request failed");

  private final transient Router<Scope, Exchange> router;
  private final transient Supplier<AccessControl> access;
  private final transient RequestRecorder records;

  public ApiServlet(
      List<Route<Scope, Exchange>> routes,
      Supplier<AccessControl> access,
      RequestRecorder records) {
    // Segments are decoded before they are compared.
    this.router = new Router<>(routes, UnaryOperator.identity(), Problems.FACTORY);
    this.access = access;
    this.records = records;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    CompletableFuture<ApiResponse> answer;
    RequestRecord record = new RequestRecord(request);
    try {
      answer = handle(request, record).toCompletableFuture();
    } catch (Exception | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    if (answer.isDone()) {
      answer
          .handle(ApiServlet::orProblem)
          .thenAccept(done -> send(done, record, request, response))
          .join();
      return;
    }
    AsyncContext later = request.startAsync();
    later.setTimeout(0);
    CompletableFuture<Void> unused =
        answer
            .handle(ApiServlet::orProblem)
            .thenAccept(done -> send(done, record, request, response))
            .whenComplete((sent, e) -> end(later, response, e));
  }

  /** Completes an asynchronous request. It has no time limit, so nothing else would. */
  private static void end(
      AsyncContext later, HttpServletResponse response, @Nullable Throwable failure) {
    try {
      if (failure != null) {
        SafeLog.error(log, NO_RESPONSE, failure);
        if (!response.isCommitted()) {
          response.reset();
          response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        }
      }
    } finally {
      later.complete();
    }
  }

  private CompletionStage<ApiResponse> handle(HttpServletRequest request, RequestRecord record)
      throws Exception {
    Router.Match<Scope, Exchange> match =
        router
            .find(request.getMethod(), segments(request.getRequestURI()))
            .orElseThrow(() -> Problems.notFound("unknown path; see /v1/openapi.json"));
    Route<Scope, Exchange> route = match.route();
    record.setRoute(route);
    ApiKey caller = access.get().require(request, route.permission(), record::setCaller);
    return route.endpoint().handle(new Exchange(request, caller, match.variables()));
  }

  private static List<String> segments(String path) {
    // "OPTIONS *" has no path.
    return path.startsWith("/")
        ? Arrays.stream(path.substring(1).split("/", -1))
            .map(segment -> HttpExchange.decoded(segment.replace("+", "%2B"), Problems.FACTORY))
            .toList()
        : List.of(path);
  }

  private static ApiResponse orProblem(@Nullable ApiResponse answer, @Nullable Throwable error) {
    if (answer != null) {
      return answer;
    }
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    if (cause instanceof Problem problem) {
      return Problems.render(problem);
    }
    if (cause instanceof BrokerException broker) {
      log.warn("Redis failed: {}", broker.getMessage());
      return Problems.render(
          Problems.notNow(
              503,
              "unavailable",
              broker.mayHaveBeenApplied()
                  ? "Redis failed, and the request may have been applied; repeat it with the same"
                      + " id or Idempotency-Key"
                  : "Redis failed, and nothing was changed; repeat the request",
              Duration.ofSeconds(1)));
    }
    Throwable failure = Objects.requireNonNull(cause, "failure");
    SafeLog.error(log, REQUEST_FAILED, failure);
    return Problems.render(
        new Problem(500, "internal", "internal error; see the log of the service"));
  }

  private static Runnable once(Runnable action) {
    AtomicBoolean isDone = new AtomicBoolean();
    return () -> {
      if (isDone.compareAndSet(false, true)) {
        action.run();
      }
    };
  }

  private void send(
      ApiResponse answer,
      RequestRecord record,
      HttpServletRequest request,
      HttpServletResponse response) {
    Runnable undelivered = once(answer.undelivered());
    // Sending may still fail after the response is accepted here.
    request.setAttribute(ResponseSender.UNDELIVERED, undelivered);
    try {
      records.answered(record, answer.status());
      response.setStatus(answer.status());
      response.setContentType(answer.contentType());
      response.setHeader("Cache-Control", "no-store");
      response.setHeader("X-Content-Type-Options", "nosniff");
      for (Map.Entry<String, String> header : answer.headers().entrySet()) {
        response.setHeader(header.getKey(), header.getValue());
      }
      byte[] body = answer.body();
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
      response.flushBuffer();
    } catch (IOException e) {
      log.debug("a response could not be sent", e);
      undelivered.run();
    } catch (RuntimeException | Error e) {
      undelivered.run();
      throw e;
    }
  }
}
