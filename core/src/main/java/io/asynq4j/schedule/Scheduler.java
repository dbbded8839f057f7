package io.asynq4j.schedule;

import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.schedule.ScheduleEntryRegistry;
import io.asynq4j.internal.schedule.SchedulerConfig;
import io.asynq4j.internal.schedule.SchedulerLifecycle;
import io.asynq4j.internal.text.HostName;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues tasks periodically, by cron or at intervals. Its entries are a fixed list, or come from
 * a source that is read from time to time. Thread-safe.
 *
 * <pre>{@code
 * Scheduler scheduler =
 *     Scheduler.builder(redis).add("nightly", Schedule.cron("0 3 * * *"), CLEANUP).build();
 * scheduler.start();
 * }</pre>
 *
 * <p>Any number of replicas may run: each instant of an entry is fired once. Redis keeps the
 * progress of an entry, and whether it is paused, under the name of the entry.
 *
 * <p>A scheduler does not close the connection that it uses.
 */
public final class Scheduler implements AutoCloseable {

  static {
    SchedulerLifecycle.readBy(scheduler -> scheduler.threads);
  }

  private final String id;
  private final ScheduleEntryRegistry entries = new ScheduleEntryRegistry();
  private final Supplier<SchedulerLifecycle> newThreads;
  volatile SchedulerLifecycle threads;

  private Scheduler(Builder builder, SchedulerConfig config) {
    this.id = HostName.local() + ":" + ProcessHandle.current().pid() + ":" + UUID.randomUUID();
    builder.entries.forEach(entries::add);
    Broker broker = builder.broker;
    Runnable followClock = builder.followClock;
    this.newThreads = () -> new SchedulerLifecycle(config, entries, broker, id, followClock);
    this.threads = newThreads.get();
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder(BrokerConnection.brokerOf(redis), redis::ping).codec(redis.codec());
  }

  /**
   * Starts the scheduler and returns. Redis need not be available yet. A scheduler that has stopped
   * can be started again.
   *
   * @throws IllegalStateException if it runs
   */
  public void start() {
    renewed().start();
  }

  private synchronized SchedulerLifecycle renewed() {
    if (threads.isStopped()) {
      threads = newThreads.get();
    }
    return threads;
  }

  /** Stops the scheduler, so that another replica takes over at once. Idempotent. */
  public void stop() {
    threads.stop();
  }

  /** The same as {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }

  /** Starts the scheduler and returns when it was stopped, or when the JVM shuts down. */
  public void run() {
    renewed().run();
  }

  /**
   * Adds an entry that fires from now on. Add it to each replica; for entries that change, use a
   * {@linkplain Builder#source source} instead.
   *
   * @throws IllegalArgumentException if an entry has the same name
   */
  public void add(ScheduleEntry entry) {
    entries.add(entry);
    threads.wakeUp();
  }

  /** Removes an added entry and its progress. Returns false if there is no such entry. */
  public boolean remove(String name) {
    boolean removed = entries.remove(name);
    threads.wakeUp();
    return removed;
  }

  /** Returns the current entries. */
  public List<ScheduleEntry> entries() {
    return List.copyOf(entries.all().values());
  }

  /** Returns the ID of this scheduler, as shown by inspectors. */
  public String id() {
    return id;
  }

  /** Returns whether this replica is the one that enqueues. */
  public boolean isLeading() {
    return threads.isLeading();
  }

  /** Builder of a {@link Scheduler}. Not thread-safe. */
  public static final class Builder {

    private final Broker broker;
    private final Runnable followClock;
    private final List<ScheduleEntry> entries = new ArrayList<>();
    private final List<SchedulerListener> listeners = new ArrayList<>();
    private PayloadCodec codec = PayloadCodec.json();
    private @Nullable Callable<List<ScheduleEntry>> source;
    private Duration sourceInterval = Duration.ofMinutes(3);
    private Duration heartbeat = Duration.ofSeconds(10);
    private Duration leaderLease = Duration.ofSeconds(5);
    private Duration grace = Duration.ofSeconds(30);
    private boolean shared = true;
    private @Nullable String instantHeader;

    /**
     * @param followClock synchronizes the clock of the broker
     */
    Builder(Broker broker, Runnable followClock) {
      this.broker = broker;
      this.followClock = followClock;
    }

    public Builder add(ScheduleEntry entry) {
      entries.add(Objects.requireNonNull(entry, "entry"));
      return this;
    }

    public Builder add(String name, Schedule schedule, Task task) {
      return add(ScheduleEntry.of(name, schedule, task));
    }

    /** Adds an entry for a task without input, with the options of its type. */
    public Builder add(String name, Schedule schedule, TaskType<Void> type) {
      return add(ScheduleEntry.of(name, schedule, type));
    }

    /** Adds an entry for a task with its input, and the options of its type. */
    public <T> Builder add(String name, Schedule schedule, TaskType<T> type, T input) {
      return add(ScheduleEntry.of(name, schedule, type, input, codec));
    }

    /** Sets the codec for the inputs of entries added later. Default: that of the connection. */
    public Builder codec(PayloadCodec codec) {
      this.codec = Objects.requireNonNull(codec, "codec");
      return this;
    }

    /**
     * Sets a source of more entries, such as a table of a database. One thread of the scheduler
     * calls it at the start, and then in each {@link #sourceInterval}; it may be slow.
     *
     * <p>It returns all entries. Unchanged entries continue, missing ones are forgotten. If it
     * throws, or returns a name twice, the scheduler continues with its entries and calls it again
     * later.
     */
    public Builder source(Callable<List<ScheduleEntry>> source) {
      this.source = Objects.requireNonNull(source, "source");
      return this;
    }

    /** Interval between calls of the source. Default: 3 minutes. */
    public Builder sourceInterval(Duration interval) {
      this.sourceInterval = interval;
      return this;
    }

    /** Adds a listener, which is notified of enqueued tasks and failures. */
    public Builder listener(SchedulerListener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /** How late an instant may fire without counting as missed. Default: 30 seconds. */
    public Builder grace(Duration grace) {
      this.grace = grace;
      return this;
    }

    /** Interval at which the entries are published to inspectors. Default: 10 seconds. */
    public Builder heartbeat(Duration heartbeat) {
      this.heartbeat = heartbeat;
      return this;
    }

    /** Time after which a leader that does not renew its lead is replaced. Default: 5 seconds. */
    public Builder leaderLease(Duration lease) {
      this.leaderLease = lease;
      return this;
    }

    /** Adds the instant that a task fires for as a header, in ISO 8601. Default: no header. */
    public Builder instantHeader(String name) {
      this.instantHeader = name;
      return this;
    }

    /**
     * Runs without coordination, as Go's scheduler does: each replica fires each instant, and
     * progress is lost when it stops. Entries cannot be paused, and missed instants are lost.
     */
    public Builder withoutLeader() {
      this.shared = false;
      return this;
    }

    /**
     * Builds the scheduler. Nothing is sent to Redis before it is started.
     *
     * @throws IllegalArgumentException if a setting is out of range or two entries have one name
     */
    public Scheduler build() {
      return new Scheduler(
          this,
          new SchedulerConfig(
              source,
              sourceInterval,
              heartbeat,
              leaderLease,
              grace,
              shared,
              instantHeader,
              listeners));
    }
  }
}
