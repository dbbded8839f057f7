package io.asynq4j;

import static io.asynq4j.internal.codec.ArgumentValidator.requireBetween;

import io.asynq4j.internal.codec.TextValidator;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a task: what it is, and its state at one time. Immutable; two snapshots are equal
 * if all their values are.
 *
 * <p>Clients and inspectors return it. {@link #builder} creates one for tests and for fakes of
 * {@code Enqueuer}:
 *
 * <pre>{@code
 * TaskInfo task = TaskInfo.builder("42", QueueName.DEFAULT, "email:welcome").retried(1).build();
 * }</pre>
 */
public sealed interface TaskInfo permits TaskInfoRecord {

  /** Prefix of {@link #lastError} of a completed task whose result was too large to keep. */
  String RESULT_DROPPED = "result dropped: ";

  /** Returns a builder of a pending task without payload. */
  static Builder builder(String id, QueueName queue, String type) {
    return new Builder(id, queue, type);
  }

  /** Returns a builder with the values of this task. */
  Builder toBuilder();

  /** ID, unique within the queue. */
  String id();

  /** Queue of the task. */
  QueueName queue();

  /** Name of the task type. */
  String type();

  /** Input, as bytes. */
  Payload payload();

  /** Metadata that travels with the task. Immutable. */
  Map<String, String> headers();

  /** State in the life cycle. */
  TaskState state();

  /** Maximum number of retries. */
  int maxRetry();

  /** Number of retries used so far. */
  int retried();

  /** Error of the last failed attempt; empty if no attempt failed. */
  String lastError();

  /** Time of the last failed attempt; null if no attempt failed. */
  @Nullable Instant lastFailedAt();

  /** Time limit of one attempt; null if only the deadline limits it. */
  @Nullable Duration timeout();

  /** Time after which the task is no longer run; null for none. */
  @Nullable Instant deadline();

  /** Group that the task is aggregated with; empty for none. */
  String group();

  /**
   * Time at which the task is due: now for a pending task, later for one that is scheduled or in
   * retry. Null in other states.
   */
  @Nullable Instant nextProcessAt();

  /** Whether the task is active although the lease of its worker has expired. */
  boolean orphaned();

  /** How long the task is kept after success. */
  Duration retention();

  /** Time of success; null if the task has not completed. */
  @Nullable Instant completedAt();

  /** Result of the handler; absent if there is none. */
  Payload result();

  /** Number of consecutive attempts whose worker disappeared. */
  int crashes();

  /** Redis key of the lock of a unique task; empty if the task is not unique. */
  String uniqueKey();

  /** Progress of the last attempt; null if its handler reported none. */
  @Nullable Progress progress();

  /**
   * Time at which the task entered its state. Null where it is not stored: for scheduled and active
   * tasks, and for tasks that a Go process made pending.
   */
  @Nullable Instant since();

  /**
   * Whether the task has succeeded with a result that was too large to keep. {@link #lastError}
   * then has its size.
   */
  default boolean isResultDropped() {
    return state() == TaskState.COMPLETED && lastError().startsWith(RESULT_DROPPED);
  }

  /**
   * Progress of an attempt, as reported by its handler. Immutable.
   *
   * @param percent 0 to 100
   * @param note a short text for operators; may be empty
   */
  record Progress(int percent, String note) {

    /** Maximum length of a note in characters. Each report writes the whole note. */
    public static final int LONGEST_NOTE = 1_000;

    public Progress {
      requireBetween(0, 100, percent, "percent");
      TextValidator.requireValidUnicode(note, "note");
      if (note.length() > LONGEST_NOTE) {
        throw new IllegalArgumentException(
            "the note of a progress report must have at most %,d characters, got %,d"
                .formatted(LONGEST_NOTE, note.length()));
      }
    }
  }

  /**
   * A failed attempt at a task. Immutable.
   *
   * @param at when it ended, to the millisecond
   * @param error its error, shortened
   * @param trace the beginning of its stack trace; empty if none was kept
   */
  record FailedAttempt(Instant at, String error, String trace) {}

  /** Builder of a {@link TaskInfo}. Not thread-safe. */
  final class Builder {
    private final String id;
    private final QueueName queue;
    private final String type;
    private Payload payload = Payload.absent();
    private Map<String, String> headers = Map.of();
    private TaskState state = TaskState.PENDING;
    private int maxRetry = TaskOptions.DEFAULT_MAX_RETRY;
    private int retried;
    private String lastError = "";
    private @Nullable Instant lastFailedAt;
    private @Nullable Duration timeout;
    private @Nullable Instant deadline;
    private String group = "";
    private @Nullable Instant nextProcessAt;
    private boolean orphaned;
    private Duration retention = Duration.ZERO;
    private @Nullable Instant completedAt;
    private Payload result = Payload.absent();
    private int crashes;
    private String uniqueKey = "";
    private @Nullable Progress progress;
    private @Nullable Instant since;

    private Builder(String id, QueueName queue, String type) {
      this.id = id;
      this.queue = queue;
      this.type = type;
    }

    public Builder payload(Payload payload) {
      this.payload = payload;
      return this;
    }

    public Builder headers(Map<String, String> headers) {
      this.headers = headers;
      return this;
    }

    public Builder state(TaskState state) {
      this.state = state;
      return this;
    }

    public Builder maxRetry(int maxRetry) {
      this.maxRetry = maxRetry;
      return this;
    }

    public Builder retried(int retried) {
      this.retried = retried;
      return this;
    }

    public Builder lastError(String lastError) {
      this.lastError = lastError;
      return this;
    }

    public Builder lastFailedAt(@Nullable Instant lastFailedAt) {
      this.lastFailedAt = lastFailedAt;
      return this;
    }

    public Builder timeout(@Nullable Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public Builder deadline(@Nullable Instant deadline) {
      this.deadline = deadline;
      return this;
    }

    public Builder group(String group) {
      this.group = group;
      return this;
    }

    public Builder nextProcessAt(@Nullable Instant nextProcessAt) {
      this.nextProcessAt = nextProcessAt;
      return this;
    }

    public Builder orphaned(boolean orphaned) {
      this.orphaned = orphaned;
      return this;
    }

    public Builder retention(Duration retention) {
      this.retention = retention;
      return this;
    }

    public Builder completedAt(@Nullable Instant completedAt) {
      this.completedAt = completedAt;
      return this;
    }

    public Builder result(Payload result) {
      this.result = result;
      return this;
    }

    public Builder crashes(int crashes) {
      this.crashes = crashes;
      return this;
    }

    public Builder uniqueKey(String uniqueKey) {
      this.uniqueKey = uniqueKey;
      return this;
    }

    public Builder progress(@Nullable Progress progress) {
      this.progress = progress;
      return this;
    }

    public Builder since(@Nullable Instant since) {
      this.since = since;
      return this;
    }

    public TaskInfo build() {
      return new TaskInfoRecord(
          id,
          queue,
          type,
          payload,
          headers,
          state,
          maxRetry,
          retried,
          lastError,
          lastFailedAt,
          timeout,
          deadline,
          group,
          nextProcessAt,
          orphaned,
          retention,
          completedAt,
          result,
          crashes,
          uniqueKey,
          progress,
          since);
    }
  }
}
