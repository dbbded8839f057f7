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
 * A task for either side to enqueue, in the format of {@code enqueue.go}. Times are milliseconds; 0
 * or an empty string leaves an option out.
 *
 * @param payload in Base64; null means absent, which differs from empty
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

  /** The same task for our client. */
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
    private final @Nullable String payload;
    private String type = "kind";
    private Map<String, String> headers = Map.of();
    private String queue = InteropTestBase.Q;
    private String group = "";
    private @Nullable Integer maxRetry;
    private long timeout;
    private long deadline;
    private long unique;
    private long processIn;
    private long processAt;
    private long retention;

    private Builder(String id, Payload payload) {
      this.id = id;
      this.payload =
          payload.isPresent() ? Base64.getEncoder().encodeToString(payload.bytes()) : null;
    }

    public Builder type(String name) {
      type = name;
      return this;
    }

    public Builder headers(Map<String, String> values) {
      headers = values;
      return this;
    }

    public Builder queue(String name) {
      queue = name;
      return this;
    }

    public Builder group(String name) {
      group = name;
      return this;
    }

    public Builder maxRetry(int count) {
      maxRetry = count;
      return this;
    }

    public Builder timeout(Duration limit) {
      timeout = limit.toMillis();
      return this;
    }

    public Builder deadline(Instant time) {
      deadline = time.toEpochMilli();
      return this;
    }

    public Builder unique(Duration ttl) {
      unique = ttl.toMillis();
      return this;
    }

    public Builder processIn(Duration delay) {
      processIn = delay.toMillis();
      return this;
    }

    public Builder processAt(Instant time) {
      processAt = time.toEpochMilli();
      return this;
    }

    public Builder retention(Duration period) {
      retention = period.toMillis();
      return this;
    }

    public GoTask build() {
      return new GoTask(
          type, payload, headers, id, queue, group, maxRetry, timeout, deadline, unique, processIn,
          processAt, retention);
    }
  }
}
