package io.asynq4j.service.tasks;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpHeader;

/** Executes a task by sending a request to its URL. Thread-safe. */
final class HttpTaskHandler implements Handler<Task> {

  private static final int ERROR_LIMIT = 1_000;
  private static final Duration LONGEST_RETRY_AFTER = Duration.ofDays(1);

  private final HttpSpec spec;
  private final HttpClient client;
  private final Clock clock;

  HttpTaskHandler(HttpSpec spec, HttpClient client, Clock clock) {
    this.spec = spec;
    this.client = client;
    this.clock = clock;
  }

  @Override
  public Outcome handle(Task task, TaskContext context) throws Exception {
    Duration left = context.timeLeft();
    if (left.isZero()) {
      return Outcome.retry("the deadline has passed before the call of " + spec.url().getHost());
    }
    Request request = request(task, context, left);
    Collector answer = new Collector(Math.max(spec.resultLimit(), ERROR_LIMIT));
    context.onCancel(() -> abort(request));
    request.send(answer);
    try {
      return outcome(answer.done.get(), answer);
    } catch (InterruptedException e) {
      abort(request);
      throw e;
    } catch (ExecutionException e) {
      return Outcome.retry("%s: %s".formatted(spec.url().getHost(), reason(e)));
    }
  }

  private static void abort(Request request) {
    CompletableFuture<Boolean> aborted =
        request.abort(new CancellationException("the task was cancelled"));
    aborted.exceptionally(e -> false);
  }

  private Request request(Task task, TaskContext context, Duration left)
      throws GeneralSecurityException {
    byte[] body = task.payload().bytes();
    int attempt = context.retryCount() + 1;
    String time = Long.toString(clock.instant().getEpochSecond());
    String signature = signature(time, context.id(), attempt, body);
    return client
        .newRequest(spec.url())
        .method(spec.method())
        .followRedirects(false)
        .idleTimeout(spec.readTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .timeout(left.toMillis() + 1, TimeUnit.MILLISECONDS)
        .headers(
            headers -> {
              headers.put(HttpHeader.CONTENT_TYPE, "application/json");
              headers.put("Idempotency-Key", context.queue() + "/" + context.id());
              headers.put("X-Asynq-Task-Id", context.id());
              headers.put("X-Asynq-Task-Name", task.type());
              headers.put("X-Asynq-Attempt", Integer.toString(attempt));
              headers.put("X-Asynq-Deadline", context.deadline().toString());
              if (!signature.isEmpty()) {
                headers.put("X-Asynq-Signature", "t=" + time + ",v1=" + signature);
              }
            })
        .body(new BytesRequestContent("application/json", body));
  }

  /** Signs the time, the id, the attempt and the body, so that none of them can be replaced. */
  private String signature(String time, String id, int attempt, byte[] body)
      throws GeneralSecurityException {
    if (spec.secret() == null) {
      return "";
    }
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(spec.secret().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    mac.update((time + "." + id + "." + attempt + ".").getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(mac.doFinal(body));
  }

  private Outcome outcome(Response response, Collector answer) {
    int status = response.getStatus();
    if (status >= 200 && status < 300) {
      byte[] result = answer.start(spec.resultLimit());
      return result.length == 0 ? Outcome.done() : Outcome.done(Payload.of(result));
    }
    String message =
        "%s returned %d: %s"
            .formatted(
                spec.url().getHost(),
                status,
                new String(answer.start(ERROR_LIMIT), StandardCharsets.UTF_8));
    if (status == 408 || status == 425 || status == 429 || status >= 500) {
      return retryAfter(response)
          .map(delay -> Outcome.retry(message, delay))
          .orElseGet(() -> Outcome.retry(message));
    }
    return Outcome.archive(status < 400 ? message + " (redirects are not followed)" : message);
  }

  private Optional<Duration> retryAfter(Response response) {
    String value = response.getHeaders().get(HttpHeader.RETRY_AFTER);
    if (value == null) {
      return Optional.empty();
    }
    Duration delay;
    try {
      delay =
          value.matches("\\d{1,9}")
              ? Duration.ofSeconds(Long.parseLong(value))
              : Duration.between(
                  clock.instant(),
                  ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
    if (delay.isNegative()) {
      return Optional.of(Duration.ZERO);
    }
    return Optional.of(delay.compareTo(LONGEST_RETRY_AFTER) > 0 ? LONGEST_RETRY_AFTER : delay);
  }

  private static String reason(ExecutionException failure) {
    Throwable error = failure.getCause() == null ? failure : failure.getCause();
    if (error instanceof TimeoutException) {
      return "no response in time";
    }
    return error instanceof IOException && error.getMessage() != null
        ? error.getMessage()
        : error.toString();
  }

  /** Keeps the start of a response and drops the rest. */
  private static final class Collector implements Response.Listener {
    private final CompletableFuture<Response> done = new CompletableFuture<>();
    private final ByteArrayOutputStream start = new ByteArrayOutputStream();
    private final int limit;

    Collector(int limit) {
      this.limit = limit;
    }

    @Override
    public void onContent(Response response, ByteBuffer content) {
      byte[] bytes = new byte[Math.min(content.remaining(), limit - start.size())];
      content.get(bytes);
      start.writeBytes(bytes);
    }

    @Override
    public void onComplete(Result result) {
      if (result.isFailed()) {
        done.completeExceptionally(result.getFailure());
      } else {
        done.complete(result.getResponse());
      }
    }

    byte[] start(int max) {
      byte[] all = start.toByteArray();
      return all.length <= max ? all : Arrays.copyOf(all, max);
    }
  }
}
