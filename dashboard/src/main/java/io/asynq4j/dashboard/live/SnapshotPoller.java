package io.asynq4j.dashboard.live;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.internal.text.SafeLog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a Redis again and again, and keeps what it has seen for all who ask: however many watch,
 * Redis is asked once. While nobody does, it is asked every ten seconds, for the history.
 *
 * <p>One thread looks; a few help it where there are many queues, and in a cluster. When a look
 * takes long, the next one waits as long and more, so that it never becomes a load of its own. The
 * queues of a server of a cluster that does not answer keep their earlier values, with a problem.
 */
public final class SnapshotPoller implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SnapshotPoller.class);

  private static final Duration WITHOUT_VIEWERS = Duration.ofSeconds(10);
  private static final Duration INFO_EVERY = Duration.ofSeconds(30);
  private static final Duration SCHEDULES_EVERY = Duration.ofSeconds(10);
  private static final Duration GROUPS_EVERY = Duration.ofMinutes(1);
  private static final Duration LATENCY_AGO = Duration.ofMinutes(1);

  /** A look takes at most a fifth of the time. */
  private static final int REST = 4;

  /** A look that takes no longer may be taken after every change. */
  static final Duration QUICK = Duration.ofMillis(250);

  /** Between two looks when there is an error even while waiting. */
  private static final long PAUSE_AFTER_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Of more queues the groups are not looked at: each group is a call. */
  private static final int MOST_WITH_GROUPS = 10;

  private final Inspector inspector;
  private final String name;

  /** Put together early: without memory that is no longer possible. */
  private final String failureMessage;

  private final Clock clock;
  private final Duration refresh;
  private final Duration quick;
  private final ThroughputHistory history;
  private final QueueSizeHistory levels;
  private final BooleanSupplier isWatched;
  private final BiConsumer<RedisSnapshot, RedisSnapshot> changed;
  private final Thread thread;
  private final RedisReader reads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition asked = lock.newCondition();
  private final Condition looked = lock.newCondition();
  private final Deque<Latencies> latencies = new ArrayDeque<>();

  private volatile RedisSnapshot current = RedisSnapshot.NONE;
  private volatile long lookedNanos;
  private volatile Duration took = Duration.ZERO;
  private final AtomicLong changes = new AtomicLong();
  private volatile long changesSeen;
  private long begun;
  private long begunAfterChanges;
  private long ended;
  private boolean isAsked;
  private boolean isClosed;
  private boolean isDown;
  private boolean isFailing;
  private List<ScheduleSnapshot> schedules = List.of();
  private Map<String, String> info = Map.of();
  private @Nullable Long schedulesNanos;
  private @Nullable Long infoNanos;
  private Map<String, Integer> unaggregated = Map.of();
  private @Nullable Long groupsNanos;

  private record Latencies(long nanos, Map<String, Long> millis) {}

  /**
   * @param quick how long a look may take to be taken after every change
   * @param changed told of each look: what was known before, and what is now
   */
  SnapshotPoller(
      Inspector inspector,
      String name,
      Clock clock,
      Duration refresh,
      Duration quick,
      ThroughputHistory history,
      QueueSizeHistory levels,
      BooleanSupplier isWatched,
      BiConsumer<RedisSnapshot, RedisSnapshot> changed) {
    this.inspector = inspector;
    this.name = name;
    this.failureMessage =
        "dashboard: reading Redis " + name + " failed; it is retried at the next interval";
    this.clock = clock;
    this.refresh = refresh;
    this.quick = quick;
    this.history = history;
    this.levels = levels;
    this.isWatched = isWatched;
    this.changed = changed;
    this.reads = new RedisReader(inspector, name);
    this.thread = new Thread(this::loop, "asynq-dashboard-watch-" + name);
    thread.setDaemon(true);
    SafeLog.prepare();
  }

  void start() {
    thread.start();
  }

  /** How long it is from one look to the next just now. */
  Duration interval() {
    Duration wanted = isWatched.getAsBoolean() ? refresh : WITHOUT_VIEWERS;
    Duration bearable = took.multipliedBy(REST);
    return bearable.compareTo(wanted) > 0 ? bearable : wanted;
  }

  /** The newest, however old it is. */
  public RedisSnapshot last() {
    return current;
  }

  /**
   * The newest; if it is older than what viewers get, or than a change that was made here, Redis is
   * looked at first.
   */
  public RedisSnapshot fresh() {
    long made = changes.get();
    boolean isQuick = took.compareTo(quick) < 0;
    boolean isOutdated = changesSeen < made && (isQuick || isOlderThan(took.multipliedBy(REST)));
    if (isOutdated || isOlderThan(refresh) || current.at() == null) {
      awaitLook(made);
    }
    return current;
  }

  /** Something was changed through the dashboard. */
  void changed() {
    changes.incrementAndGet();
  }

  private boolean isOlderThan(Duration age) {
    return System.nanoTime() - lookedNanos > age.toNanos();
  }

  /**
   * Has Redis looked at, together with all others who ask meanwhile, and waits for it a while. A
   * look that has begun will do, unless it may have missed one of the changes.
   */
  private void awaitLook(long changesMade) {
    lock.lock();
    try {
      boolean isBeingSeen = begun > ended && begunAfterChanges >= changesMade;
      long wanted = isBeingSeen ? begun : begun + 1;
      if (wanted > begun) {
        isAsked = true;
        asked.signalAll();
      }
      long left = Duration.ofSeconds(5).toNanos();
      while (ended < wanted && left > 0 && !isClosed) {
        left = looked.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Someone has begun to watch, who should not wait for the slow pace to end. */
  void hurry() {
    if (isOlderThan(refresh)) {
      lock.lock();
      try {
        isAsked = true;
        asked.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Ends only when it is closed, whatever fails. */
  private void loop() {
    while (isOpen()) {
      try {
        begin();
        look();
      } catch (Throwable e) {
        failed(e);
      }
      try {
        pause();
      } catch (Throwable e) {
        failed(e);
        LockSupport.parkNanos(PAUSE_AFTER_ERROR_NANOS);
      }
    }
  }

  /** Logs the first of several failures in a row. */
  private void failed(Throwable e) {
    if (!isFailing) {
      isFailing = true;
      SafeLog.error(log, failureMessage, e);
    }
  }

  private boolean isOpen() {
    lock.lock();
    try {
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  private void begin() {
    lock.lock();
    try {
      isAsked = false;
      begun++;
      begunAfterChanges = changes.get();
    } finally {
      lock.unlock();
    }
  }

  private void pause() {
    lock.lock();
    try {
      ended++;
      changesSeen = begunAfterChanges;
      looked.signalAll();
      long left = interval().toNanos();
      while (!isAsked && !isClosed && left > 0) {
        // Viewers come and go: in short steps, so that the pace follows.
        long step = Math.min(left, Duration.ofMillis(500).toNanos());
        left -= step - Math.max(0, asked.awaitNanos(step));
        left = Math.min(left, interval().toNanos());
      }
    } catch (InterruptedException e) {
      isClosed = true;
    } finally {
      lock.unlock();
    }
  }

  private void look() {
    long began = System.nanoTime();
    RedisSnapshot before = current;
    RedisSnapshot now;
    try {
      now = seen(before);
      if (isDown) {
        isDown = false;
        log.info("dashboard: Redis {} is reachable again", name);
      }
    } catch (RuntimeException | Error e) {
      String why = e instanceof Error || e.getMessage() == null ? e.toString() : e.getMessage();
      now = before.failing(why);
      if (e instanceof Error) {
        failed(e);
      } else if (!isDown) {
        isDown = true;
        log.warn("dashboard: Redis {} cannot be read, pages show earlier values: {}", name, why);
      }
    }
    took = Duration.ofNanos(System.nanoTime() - began);
    lookedNanos = System.nanoTime();
    current = now;
    if (now.problem() == null) {
      Instant at = Objects.requireNonNull(now.at());
      history.add(at, now.queues().values());
      levels.add(
          at,
          now.queues().values(),
          now.servers().stream().mapToInt(ServerSnapshot::concurrency).sum(),
          now.servers().stream().mapToInt(ServerSnapshot::activeWorkers).sum());
    }
    changed.accept(before, now);
    isFailing &= now.problem() != null;
  }

  private RedisSnapshot seen(RedisSnapshot before) {
    Supplier<Optional<List<String>>> beingListed =
        reads.begin("the list of queues", () -> List.copyOf(inspector.queues()));
    Supplier<Optional<List<ServerSnapshot>>> serversBeingRead =
        reads.begin("the list of servers", inspector::servers);
    refreshSchedulesAndInfo();
    Optional<List<String>> listed = beingListed.get();
    List<ServerSnapshot> servers = serversBeingRead.get().orElse(before.servers());
    Map<String, Integer> servedBy = new HashMap<>();
    for (ServerSnapshot server : servers) {
      server.queues().keySet().stream()
          .filter(server::serves)
          .forEach(queue -> servedBy.merge(queue, 1, Integer::sum));
    }
    Map<String, QueueRow> rows =
        rows(listed.orElseGet(() -> List.copyOf(before.queues().keySet())), before, servedBy);
    if (listed.isEmpty() && rows.values().stream().allMatch(row -> row.problem() != null)) {
      throw new IllegalStateException("no Redis server responded in time");
    }
    if (isTime(groupsNanos, GROUPS_EVERY)) {
      unaggregated = unaggregated(rows.values());
      groupsNanos = System.nanoTime();
    }
    rows.replaceAll((queue, row) -> row.withUnaggregated(unaggregated.getOrDefault(queue, 0)));
    return new RedisSnapshot(
        clock.instant(), null, rows, servers, schedules, latenciesBefore(rows), info);
  }

  /** Does so now and then. What cannot be read stays as it was, and is read with the next look. */
  private void refreshSchedulesAndInfo() {
    Supplier<Optional<List<ScheduleSnapshot>>> schedulesBeingRead = Optional::empty;
    if (isTime(schedulesNanos, SCHEDULES_EVERY)) {
      schedulesBeingRead = reads.begin("the schedules", inspector::schedules);
    }
    Supplier<Optional<Map<String, String>>> infoBeingRead = Optional::empty;
    if (isTime(infoNanos, INFO_EVERY)) {
      infoBeingRead = reads.begin("INFO", this::info);
    }
    schedulesBeingRead
        .get()
        .ifPresent(
            read -> {
              schedules = read;
              schedulesNanos = System.nanoTime();
            });
    infoBeingRead
        .get()
        .ifPresent(
            read -> {
              info = read;
              infoNanos = System.nanoTime();
            });
  }

  private static boolean isTime(@Nullable Long lastNanos, Duration every) {
    return lastNanos == null || System.nanoTime() - lastNanos > every.toNanos();
  }

  private Map<String, Integer> unaggregated(Collection<QueueRow> rows) {
    List<String> queues =
        rows.stream()
            .filter(row -> row.size(TaskState.AGGREGATING) > 0 && row.problem() == null)
            .limit(MOST_WITH_GROUPS)
            .map(QueueRow::name)
            .toList();
    Map<String, Integer> found = new HashMap<>();
    reads
        .ofEach("groups", queues, queue -> inspector.queue(queue).unaggregatedGroups().size())
        .forEach(
            (queue, answer) -> {
              if (answer.value() == null) {
                log.debug(
                    "dashboard: groups of queue {} cannot be read: {}", queue, answer.problem());
              } else {
                found.put(queue, answer.value());
              }
            });
    return found;
  }

  /** Where Redis forbids INFO, what depends on it is left out. */
  private Map<String, String> info() {
    try {
      return inspector.redisInfo();
    } catch (RuntimeException e) {
      log.debug("dashboard: INFO of Redis {} is not available: {}", name, e.getMessage());
      return Map.of();
    }
  }

  /** One queue that cannot be read is one row that says so. */
  private Map<String, QueueRow> rows(
      List<String> names, RedisSnapshot before, Map<String, Integer> servedBy) {
    Map<String, RedisReader.QueueRead<QueueSnapshot>> answers =
        reads.ofEach("queues", names, queue -> inspector.queue(queue).listedSnapshot());
    Map<String, QueueRow> rows = new HashMap<>();
    for (String queue : names) {
      int servers = servedBy.getOrDefault(queue, 0);
      RedisReader.QueueRead<QueueSnapshot> answer = answers.get(queue);
      if (answer != null && answer.value() != null) {
        rows.put(queue, new QueueRow(queue, answer.value(), servers, null));
        continue;
      }
      QueueRow earlier = before.queues().get(queue);
      String why = answer == null ? null : answer.problem();
      rows.put(
          queue,
          new QueueRow(
              queue,
              earlier == null ? null : earlier.seen(),
              servers,
              Objects.requireNonNullElse(why, "the Redis server of the queue does not answer")));
    }
    return rows;
  }

  /** What the latencies were about a minute ago; keeps a few of the last minute. */
  private Map<String, Long> latenciesBefore(Map<String, QueueRow> rows) {
    long now = System.nanoTime();
    Latencies newest = latencies.peekLast();
    if (newest == null || now - newest.nanos() > Duration.ofSeconds(15).toNanos()) {
      Map<String, Long> millis = new HashMap<>();
      rows.values().stream()
          .filter(row -> row.latency().toMillis() > 0)
          .forEach(row -> millis.put(row.name(), row.latency().toMillis()));
      latencies.addLast(new Latencies(now, millis));
    }
    while (latencies.size() > 1
        && now - latencies.getFirst().nanos() > LATENCY_AGO.plusSeconds(20).toNanos()) {
      latencies.removeFirst();
    }
    Latencies oldest = latencies.getFirst();
    return now - oldest.nanos() > LATENCY_AGO.minusSeconds(20).toNanos()
        ? oldest.millis()
        : Map.of();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      asked.signalAll();
      looked.signalAll();
    } finally {
      lock.unlock();
    }
    reads.close();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
