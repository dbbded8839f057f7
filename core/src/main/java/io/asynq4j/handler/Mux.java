package io.asynq4j.handler;

import io.asynq4j.QueueName;
import io.asynq4j.ResultTaskType;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the handler of a task by its type: the pattern that is equal, else the longest one that it
 * begins with. Immutable and thread-safe.
 */
public final class Mux implements Handler<Task> {

  private final NavigableMap<String, Handler<Task>> handlers;
  private final Map<String, TaskOptions> options;
  private final List<Middleware> middlewares;
  private final @Nullable Handler<Task> otherwise;
  private final Map<String, String> queues;
  private final Map<String, RetryPolicy> retryPolicies;

  private Mux(Builder builder) {
    this.handlers = new TreeMap<>(builder.handlers);
    this.options = Map.copyOf(builder.options);
    this.middlewares = List.copyOf(builder.middlewares);
    this.otherwise = builder.otherwise;
    this.queues = Map.copyOf(builder.queues);
    this.retryPolicies = Map.copyOf(builder.retryPolicies);
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Outcome handle(Task task, TaskContext context) throws Exception {
    return next(0, task, context).call();
  }

  private Middleware.Next next(int index, Task task, TaskContext context) {
    if (index == middlewares.size()) {
      return () -> handlerOf(task).handle(task, context);
    }
    return () -> middlewares.get(index).handle(task, context, next(index + 1, task, context));
  }

  private Handler<Task> handlerOf(Task task) {
    Handler<Task> found = pattern(task.type()).map(handlers::get).orElse(otherwise);
    if (found == null) {
      throw new HandlerNotFoundException(task.type());
    }
    return found;
  }

  /** The pattern whose handler would get tasks of this type. */
  public Optional<String> pattern(String type) {
    if (handlers.containsKey(type)) {
      return Optional.of(type);
    }
    // Whatever is a prefix of the type comes before it; what does not fit shares a shorter one.
    String candidate = handlers.lowerKey(type);
    while (candidate != null && !type.startsWith(candidate)) {
      candidate = handlers.floorKey(commonPrefix(candidate, type));
    }
    return Optional.ofNullable(candidate);
  }

  private static String commonPrefix(String one, String other) {
    int length = 0;
    int limit = Math.min(one.length(), other.length());
    while (length < limit && one.charAt(length) == other.charAt(length)) {
      length++;
    }
    return one.substring(0, length);
  }

  /** The options of the {@link TaskType} of this name; the defaults when no handler has one. */
  public TaskOptions options(String type) {
    return options.getOrDefault(type, TaskOptions.defaults());
  }

  /** The patterns that have a handler. */
  public Set<String> patterns() {
    return Set.copyOf(handlers.keySet());
  }

  /** Whether there is a handler for any type at all. */
  public boolean isEmpty() {
    return handlers.isEmpty() && otherwise == null;
  }

  /** Whether it handles tasks of this type. */
  public boolean handles(String type) {
    return otherwise != null || pattern(type).isPresent();
  }

  /** The queues that the options of typed handlers name, by type; most types name none. */
  public Map<String, String> queues() {
    return queues;
  }

  /** The retry policies that the types of typed handlers have, by type; most types have none. */
  public Map<String, RetryPolicy> retryPolicies() {
    return retryPolicies;
  }

  /**
   * Computes the result of a task: returning is success, throwing is failure. Called by many
   * threads.
   */
  @FunctionalInterface
  public interface Computation<T, R> {

    R compute(T input, TaskContext context) throws Exception;
  }

  /** Collects handlers; not thread-safe. */
  public static final class Builder {
    private final Map<String, Handler<Task>> handlers = new LinkedHashMap<>();
    private final Map<String, TaskOptions> options = new LinkedHashMap<>();
    private final List<Middleware> middlewares = new ArrayList<>();
    private final Map<String, String> queues = new LinkedHashMap<>();
    private final Map<String, RetryPolicy> retryPolicies = new LinkedHashMap<>();
    private @Nullable PayloadCodec codec;
    private @Nullable Handler<Task> otherwise;

    private Builder() {}

    /**
     * How the inputs of handlers added from now on are decoded. Default: the codec of the server.
     */
    public Builder codec(PayloadCodec codec) {
      this.codec = Objects.requireNonNull(codec, "codec");
      return this;
    }

    /** A handler that returns an {@link Outcome}. */
    public <T> Builder handle(TaskType<T> type, Handler<T> handler) {
      PayloadCodec own = codec;
      Objects.requireNonNull(handler, "handler");
      QueueName queue = type.options().queue();
      if (queue != null) {
        queues.put(type.name(), queue.value());
      }
      handle(
          type.name(),
          (task, context) ->
              handler.handle(type.input(task, own == null ? context.codec() : own), context));
      options.put(type.name(), type.options());
      type.retryPolicy().ifPresent(policy -> retryPolicies.put(type.name(), policy));
      return this;
    }

    /** A handler for whom returning is success and throwing is failure. */
    public <T> Builder run(TaskType<T> type, Action<T> action) {
      Objects.requireNonNull(action, "action");
      return handle(
          type,
          (input, context) -> {
            action.run(input, context);
            return Outcome.done();
          });
    }

    /**
     * A handler whose return value is the result of the task. The result is kept for as long as the
     * {@code retention} of the task says.
     */
    public <T, R> Builder compute(ResultTaskType<T, R> type, Computation<T, R> computation) {
      Objects.requireNonNull(computation, "computation");
      return handle(type, (input, context) -> Outcome.done(computation.compute(input, context)));
    }

    /** A handler of all types that begin with this text, unless a longer one fits better. */
    public Builder handle(String pattern, Handler<Task> handler) {
      if (pattern.isBlank()) {
        throw new IllegalArgumentException(
            "a pattern must not be blank; otherwise(handler) takes what no pattern fits");
      }
      if (handlers.putIfAbsent(pattern, Objects.requireNonNull(handler, "handler")) != null) {
        throw new IllegalArgumentException("there is a handler for \"" + pattern + "\" already");
      }
      return this;
    }

    public Builder run(String pattern, Action<Task> action) {
      Objects.requireNonNull(action, "action");
      return handle(
          pattern,
          (task, context) -> {
            action.run(task, context);
            return Outcome.done();
          });
    }

    /** What handles a task that fits no pattern. */
    public Builder otherwise(Handler<Task> handler) {
      this.otherwise = Objects.requireNonNull(handler, "handler");
      return this;
    }

    /** Wraps around all handlers, also those added before; the first one is the outermost. */
    public Builder use(Middleware middleware) {
      middlewares.add(Objects.requireNonNull(middleware, "middleware"));
      return this;
    }

    public Mux build() {
      return new Mux(this);
    }
  }
}
