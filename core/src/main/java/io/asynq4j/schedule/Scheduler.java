package io.asynq4j.schedule;

import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.schedule.CompositeSchedulerListener;
import io.asynq4j.internal.schedule.FireDispatcher;
import io.asynq4j.internal.schedule.InMemoryScheduleLedger;
import io.asynq4j.internal.schedule.LaneExecutor;
import io.asynq4j.internal.schedule.LeaderElection;
import io.asynq4j.internal.schedule.ScheduleEntryRegistry;
import io.asynq4j.internal.schedule.ScheduleHistoryWriter;
import io.asynq4j.internal.schedule.SchedulerConfig;
import io.asynq4j.internal.schedule.SchedulerLifecycle;
import io.asynq4j.internal.schedule.SchedulerLoop;
import io.asynq4j.internal.schedule.SchedulerPresence;
import io.asynq4j.internal.schedule.SchedulerWakeup;
import io.asynq4j.internal.text.HostName;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues tasks again and again: by cron, at intervals, from a fixed list or a source that is
 * asked from time to time. Thread-safe.
 *
 * <p>Any number of replicas may run; each instant of an entry is fired once. An entry is known by
 * its name: how far it is, and whether it is paused, outlives all schedulers.
 *
 * <p>A scheduler uses a connection and does not close it.
 */
public final class Scheduler implements AutoCloseable {

  private final String id;
  private final ScheduleEntryRegistry entries = new ScheduleEntryRegistry();
  private final LeaderElection leadership;
  private final SchedulerLifecycle threads;

  private Scheduler(Builder builder, SchedulerConfig config) {
    this.id = HostName.local() + ":" + ProcessHandle.current().pid() + ":" + UUID.randomUUID();
    builder.entries.forEach(entries::add);
    Broker broker = builder.broker;
    ScheduleLedger ledger =
        config.shared()
            ? broker.schedules()
            : new InMemoryScheduleLedger(broker.enqueueing(), broker.clock());
    SchedulerWakeup wakeUp = new SchedulerWakeup();
    LaneExecutor lanes = new LaneExecutor(broker.watches(), broker.clock(), wakeUp);
    this.leadership = new LeaderElection(ledger, lanes, id, config.lease());
    ScheduleHistoryWriter history = new ScheduleHistoryWriter(broker.presence(), lanes);
    FireDispatcher trigger =
        new FireDispatcher(
            ledger,
            lanes,
            history,
            new CompositeSchedulerListener(config.listeners()),
            config.instantHeader());
    SchedulerLoop rounds =
        new SchedulerLoop(
            config,
            entries,
            ledger,
            lanes,
            leadership,
            trigger,
            history,
            new SchedulerPresence(broker.presence(), lanes, id, config.heartbeat()),
            broker.clock(),
            builder.followClock);
    this.threads = new SchedulerLifecycle(config, entries, rounds, wakeUp, broker);
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder(BrokerConnection.brokerOf(redis), redis::ping).codec(redis.codec());
  }

  /** On a broker whose clock needs no following. */
  static Builder builder(Broker broker) {
    return new Builder(broker, () -> {});
  }

  /**
   * Begins, and returns. Redis need not be there yet. Fails with an {@code IllegalStateException}
   * when it runs or has been stopped: it cannot be started twice.
   */
  public void start() {
    threads.start();
  }

  /**
   * Stops, and leaves the rest to the other replicas at once. May be called any number of times.
   */
  public void stop() {
    threads.stop();
  }

  /** The same as {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }

  /** Starts, and returns when the process was asked to end, or the scheduler was stopped. */
  public void run() {
    threads.run();
  }

  /**
   * Adds an entry, from now on. Each replica has to be told: entries that come and go are better
   * off in a {@link ScheduleSource}.
   */
  public void add(ScheduleEntry entry) {
    entries.add(entry);
    threads.wakeUp();
  }

  /** Removes an entry that was added, and what is remembered of it. False when there is none. */
  public boolean remove(String name) {
    boolean removed = entries.remove(name);
    threads.wakeUp();
    return removed;
  }

  /** The entries that it has now. */
  public List<ScheduleEntry> entries() {
    return List.copyOf(entries.all().values());
  }

  /** The id under which others see it. */
  public String id() {
    return id;
  }

  /** Whether it is this replica that enqueues now. */
  public boolean isLeading() {
    return leadership.isLeading();
  }

  SchedulerLifecycle threads() {
    return threads;
  }

  /** Collects what a scheduler is to be; not thread-safe. */
  public static final class Builder {

    private final Broker broker;
    private final Runnable followClock;
    private final List<ScheduleEntry> entries = new ArrayList<>();
    private final List<SchedulerListener> listeners = new ArrayList<>();
    private PayloadCodec codec = PayloadCodec.json();
    private @Nullable ScheduleSource source;
    private Duration sourceInterval = Duration.ofMinutes(3);
    private Duration heartbeat = Duration.ofSeconds(10);
    private Duration leaderLease = Duration.ofSeconds(5);
    private Duration grace = Duration.ofSeconds(30);
    private boolean shared = true;
    private @Nullable String instantHeader;

    private Builder(Broker broker, Runnable followClock) {
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

    /** A task without input, with the options of its type. */
    public Builder add(String name, Schedule schedule, TaskType<Void> type) {
      return add(ScheduleEntry.of(name, schedule, type));
    }

    /** A task with its input, and the options of its type. */
    public <T> Builder add(String name, Schedule schedule, TaskType<T> type, T input) {
      return add(ScheduleEntry.of(name, schedule, type, input, codec));
    }

    /**
     * How inputs of entries added after this become bytes. Default: the codec of the connection.
     */
    public Builder codec(PayloadCodec codec) {
      this.codec = Objects.requireNonNull(codec, "codec");
      return this;
    }

    /** Where to find more entries; asked at the start, and then every 3 minutes. */
    public Builder source(ScheduleSource source) {
      this.source = Objects.requireNonNull(source, "source");
      return this;
    }

    /** How often the source is asked; 3 minutes. */
    public Builder sourceInterval(Duration interval) {
      this.sourceInterval = interval;
      return this;
    }

    /** Hears what is enqueued and what fails. */
    public Builder listener(SchedulerListener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /** How late an instant may be fired that is not to count as missed; 30 seconds. */
    public Builder grace(Duration grace) {
      this.grace = grace;
      return this;
    }

    /** How often the entries are shown to inspectors; 10 seconds. */
    public Builder heartbeat(Duration heartbeat) {
      this.heartbeat = heartbeat;
      return this;
    }

    /** How long after its last sign of life a leader counts as gone; 5 seconds. */
    public Builder leaderLease(Duration lease) {
      this.leaderLease = lease;
      return this;
    }

    /** Puts the instant that a task stands for into a header of this name, as ISO 8601. */
    public Builder instantHeader(String name) {
      this.instantHeader = name;
      return this;
    }

    /**
     * As the original has it: every scheduler fires every instant, whatever others do, and
     * remembers nothing beyond its life. Nothing can be paused then, and what is missed is lost.
     */
    public Builder withoutLeader() {
      this.shared = false;
      return this;
    }

    /** Checks everything; nothing is sent to Redis before the scheduler is started. */
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
