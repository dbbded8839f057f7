package io.asynq4j.interop.peer;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.interop.InteropTestBase;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task for either side to enqueue, in the words of {@code enqueue.go}. Times are milliseconds; 0,
 * or an empty text, leaves an option out.
 *
 * @param payload in Base64; an absent one and one of no bytes are two things
 */
public record GoTask(
    String type,
    @Nullable String payload,
    Map<String, String> headers,
    String id,
    String queue,
    String group,
    @Nullable Integer maxRetry,
    long timeout,
    long deadline,
    long unique,
    long processIn,
    long processAt,
    long retention) {

  public static Builder of(String id, String payload) {
    return of(id, Payload.ofUtf8(payload));
  }

  public static Builder of(String id, Payload payload) {
    return new Builder(id, payload);
  }

  public Payload bytes() {
    return payload == null ? Payload.absent() : Payload.of(Base64.getDecoder().decode(payload));
  }

  public int allowedRetries() {
    return maxRetry == null ? TaskOptions.DEFAULT_MAX_RETRY : maxRetry;
  }

  /** The same for our client. */
  public Task task() {
    return Task.of(type, bytes()).withHeaders(headers);
  }

  public TaskOptions options() {
    TaskOptions.Builder options = TaskOptions.builder();
    if (!queue.isEmpty()) {
      options.queue(queue);
    }
    if (!id.isEmpty()) {
      options.id(id);
    }
    if (maxRetry != null) {
      options.maxRetry(maxRetry);
    }
    if (!group.isEmpty()) {
      options.group(group);
    }
    if (timeout != 0) {
      options.timeout(Duration.ofMillis(timeout));
    }
    if (deadline != 0) {
      options.deadline(Instant.ofEpochMilli(deadline));
    }
    if (unique != 0) {
      options.uniqueFor(Duration.ofMillis(unique));
    }
    if (processIn != 0) {
      options.processIn(Duration.ofMillis(processIn));
    }
    if (processAt != 0) {
      options.processAt(Instant.ofEpochMilli(processAt));
    }
    if (retention != 0) {
      options.retention(Duration.ofMillis(retention));
    }
    return options.build();
  }

  /** Puts a task together; not thread-safe. */
  public static final class Builder {
    private final String id;
    private final Payload payload;
    private String type = "kind";
    private Map<String, String> headers = Map.of();
    private String queue = InteropTestBase.Q;
    private String group = "";
    private @Nullable Integer maxRetry;
    private Duration timeout = Duration.ZERO;
    private Instant deadline = Instant.EPOCH;
    private Duration unique = Duration.ZERO;
    private Duration processIn = Duration.ZERO;
    private Instant processAt = Instant.EPOCH;
    private Duration retention = Duration.ZERO;

    private Builder(String id, Payload payload) {
      this.id = id;
      this.payload = payload;
    }

    public Builder type(String type) {
      this.type = type;
      return this;
    }

    public Builder headers(Map<String, String> headers) {
      this.headers = headers;
      return this;
    }

    public Builder queue(String queue) {
      this.queue = queue;
      return this;
    }

    public Builder group(String group) {
      this.group = group;
      return this;
    }

    public Builder maxRetry(int maxRetry) {
      this.maxRetry = maxRetry;
      return this;
    }

    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public Builder deadline(Instant deadline) {
      this.deadline = deadline;
      return this;
    }

    public Builder unique(Duration unique) {
      this.unique = unique;
      return this;
    }

    public Builder processIn(Duration processIn) {
      this.processIn = processIn;
      return this;
    }

    public Builder processAt(Instant processAt) {
      this.processAt = processAt;
      return this;
    }

    public Builder retention(Duration retention) {
      this.retention = retention;
      return this;
    }

    public GoTask build() {
      return new GoTask(
          type,
          payload.isPresent() ? Base64.getEncoder().encodeToString(payload.bytes()) : null,
          headers,
          id,
          queue,
          group,
          maxRetry,
          timeout.toMillis(),
          deadline.toEpochMilli(),
          unique.toMillis(),
          processIn.toMillis(),
          processAt.toEpochMilli(),
          retention.toMillis());
    }
  }
}
