package io.asynq4j.handler;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

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
 * Routes tasks to handlers by type. The handler of the exact type is called, otherwise the handler
 * of its longest prefix. Immutable and thread-safe.
 *
 * <pre>{@code
 * Mux mux =
 *     Mux.builder()
 *         .run(WELCOME, (user, context) -> mailer.welcome(user))
 *         .handle("report:", (task, context) -> Outcome.done(reports.build(task)))
 *         .build();
 * }</pre>
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

  /** Returns a builder without handlers. */
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

  /** Returns the pattern whose handler gets tasks of this type. */
  public Optional<String> pattern(String type) {
    if (handlers.containsKey(type)) {
      return Optional.of(type);
    }
    // Each prefix of the type sorts before it. If a candidate is no prefix, only prefixes of what
    // both have in common are left.
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

  /** Returns the options of the {@link TaskType} of this name; defaults if it is unknown. */
  public TaskOptions options(String type) {
    return options.getOrDefault(type, TaskOptions.defaults());
  }

  /** Returns the patterns that have a handler. */
  public Set<String> patterns() {
    return Set.copyOf(handlers.keySet());
  }

  /** Returns whether there is no handler at all. */
  public boolean isEmpty() {
    return handlers.isEmpty() && otherwise == null;
  }

  /** Returns whether there is a handler for this type. */
  public boolean handles(String type) {
    return otherwise != null || pattern(type).isPresent();
  }

  /** Returns the queues in the options of typed handlers, by type. */
  public Map<String, String> queues() {
    return queues;
  }

  /** Returns the retry policies of typed handlers, by type. */
  public Map<String, RetryPolicy> retryPolicies() {
    return retryPolicies;
  }

  /**
   * Computes the result of a task: returning means success, throwing means failure. Must be
   * thread-safe.
   */
  @FunctionalInterface
  public interface Computation<T, R> {

    R compute(T input, TaskContext context) throws Exception;
  }

  /** Collects handlers. Not thread-safe. */
  public static final class Builder {
    private final Map<String, Handler<Task>> handlers = new LinkedHashMap<>();
    private final Map<String, TaskOptions> options = new LinkedHashMap<>();
    private final List<Middleware> middlewares = new ArrayList<>();
    private final Map<String, String> queues = new LinkedHashMap<>();
    private final Map<String, RetryPolicy> retryPolicies = new LinkedHashMap<>();
    private @Nullable PayloadCodec codec;
    private @Nullable Handler<Task> otherwise;

    private Builder() {}

    /** Sets the codec of handlers that are added afterwards. Default: the codec of the server. */
    public Builder codec(PayloadCodec codec) {
      this.codec = Objects.requireNonNull(codec, "codec");
      return this;
    }

    /** Adds a handler that returns an {@link Outcome}. */
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

    /** Adds a handler without an outcome: returning means success, throwing means failure. */
    public <T> Builder run(TaskType<T> type, Action<T> action) {
      return handle(type, succeedingWhenDone(action));
    }

    private static <T> Handler<T> succeedingWhenDone(Action<T> action) {
      Objects.requireNonNull(action, "action");
      return (input, context) -> {
        action.run(input, context);
        return Outcome.done();
      };
    }

    /**
     * Adds a handler whose return value is the result of the task. The result is kept for the
     * {@code retention} of the task.
     */
    public <T, R> Builder compute(ResultTaskType<T, R> type, Computation<T, R> computation) {
      Objects.requireNonNull(computation, "computation");
      return handle(type, (input, context) -> Outcome.done(computation.compute(input, context)));
    }

    /** Adds a handler for all types that start with this text and match no longer pattern. */
    public Builder handle(String pattern, Handler<Task> handler) {
      require(
          !pattern.isBlank(),
          "a pattern must not be blank: use otherwise(handler) for types that match no pattern");
      require(
          handlers.putIfAbsent(pattern, Objects.requireNonNull(handler, "handler")) == null,
          "pattern \"" + pattern + "\" already has a handler; register one per pattern");
      return this;
    }

    /** Adds a handler without an outcome, see {@link #handle(String, Handler)}. */
    public Builder run(String pattern, Action<Task> action) {
      return handle(pattern, succeedingWhenDone(action));
    }

    /** Sets the handler of types that match no pattern. */
    public Builder otherwise(Handler<Task> handler) {
      this.otherwise = Objects.requireNonNull(handler, "handler");
      return this;
    }

    /** Adds a middleware around all handlers, including earlier ones. The first is outermost. */
    public Builder use(Middleware middleware) {
      middlewares.add(Objects.requireNonNull(middleware, "middleware"));
      return this;
    }

    public Mux build() {
      return new Mux(this);
    }
  }
}
