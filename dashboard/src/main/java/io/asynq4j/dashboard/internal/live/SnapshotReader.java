package io.asynq4j.dashboard.internal.live;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a {@link RedisSnapshot}: queues and servers each time, schedules, groups, leases and INFO
 * less often. The queues of a cluster node that does not respond keep their earlier values and get
 * a problem. Used by one thread.
 */
final class SnapshotReader implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SnapshotReader.class);

  /** Groups are read for at most this many queues, because each group is a call. */
  private static final int MAX_QUEUES_WITH_GROUPS = 10;

  private final Inspector inspector;
  private final String name;
  private final Clock clock;
  private final RedisReader reader;
  private final RecentLatencies latencies = new RecentLatencies();
  private final PeriodicValue<List<ScheduleSnapshot>> schedules =
      new PeriodicValue<>(Duration.ofSeconds(10), List.of());
  private final PeriodicValue<Map<String, String>> info =
      new PeriodicValue<>(Duration.ofSeconds(30), Map.of());
  private final PeriodicValue<Map<String, Integer>> unaggregated =
      new PeriodicValue<>(Duration.ofMinutes(1), Map.of());
  private final UnservedQueueCheck unserved;

  SnapshotReader(Inspector inspector, String name, Clock clock) {
    this.inspector = inspector;
    this.name = name;
    this.clock = clock;
    this.reader = new RedisReader(inspector, name);
    this.unserved = new UnservedQueueCheck(inspector, reader);
  }

  /**
   * @param before source of the values that cannot be read this time
   */
  RedisSnapshot read(RedisSnapshot before) {
    Supplier<Optional<List<String>>> queueNames =
        reader.start("the list of queues", () -> List.copyOf(inspector.queues()));
    Supplier<Optional<List<ServerSnapshot>>> serverList =
        reader.start("the list of servers", inspector::servers);
    refreshSchedulesAndInfo();
    Optional<List<String>> names = queueNames.get();
    List<ServerSnapshot> servers = serverList.get().orElse(before.servers());
    Map<String, QueueRow> rows =
        rows(
            names.orElseGet(() -> List.copyOf(before.queues().keySet())),
            before,
            serversByQueue(servers));
    if (names.isEmpty() && rows.values().stream().allMatch(row -> row.problem() != null)) {
      throw new IllegalStateException("no Redis server responded in time");
    }
    if (unaggregated.isDue()) {
      unaggregated.set(unaggregatedGroups(rows.values()));
    }
    rows.replaceAll(
        (queue, row) -> row.withUnaggregated(unaggregated.get().getOrDefault(queue, 0)));
    unserved.addTo(rows);
    return new RedisSnapshot(
        clock.instant(),
        null,
        rows,
        servers,
        schedules.get(),
        latencies.add(rows.values()),
        info.get());
  }

  private static Map<String, Integer> serversByQueue(List<ServerSnapshot> servers) {
    Map<String, Integer> counts = new HashMap<>();
    for (ServerSnapshot server : servers) {
      if (server.isActive()) {
        server.queues().keySet().forEach(queue -> counts.merge(queue, 1, Integer::sum));
      }
    }
    return counts;
  }

  /**
   * Reads the values that are due. A value that cannot be read is kept and is read again the next
   * time.
   */
  private void refreshSchedulesAndInfo() {
    Supplier<Optional<List<ScheduleSnapshot>>> newSchedules =
        schedules.isDue() ? reader.start("the schedules", inspector::schedules) : Optional::empty;
    Supplier<Optional<Map<String, String>>> newInfo =
        info.isDue() ? reader.start("INFO", this::readInfo) : Optional::empty;
    newSchedules.get().ifPresent(schedules::set);
    newInfo.get().ifPresent(info::set);
  }

  /** Returns an empty map where Redis forbids INFO. */
  private Map<String, String> readInfo() {
    try {
      return inspector.redisInfo();
    } catch (RuntimeException e) {
      log.debug("dashboard: INFO of Redis {} is not available: {}", name, e.getMessage());
      return Map.of();
    }
  }

  private Map<String, Integer> unaggregatedGroups(Collection<QueueRow> rows) {
    List<String> queues =
        rows.stream()
            .filter(row -> row.size(TaskState.AGGREGATING) > 0 && row.problem() == null)
            .limit(MAX_QUEUES_WITH_GROUPS)
            .map(QueueRow::name)
            .toList();
    Map<String, Integer> counts = new HashMap<>();
    reader
        .readEach("groups", queues, queue -> inspector.queue(queue).unaggregatedGroups().size())
        .forEach(
            (queue, result) -> {
              if (result.value() == null) {
                log.debug(
                    "dashboard: groups of queue {} cannot be read: {}", queue, result.problem());
              } else {
                counts.put(queue, result.value());
              }
            });
    return counts;
  }

  /** A queue that cannot be read keeps its earlier values and gets a problem. */
  private Map<String, QueueRow> rows(
      List<String> names, RedisSnapshot before, Map<String, Integer> serversByQueue) {
    Map<String, RedisReader.QueueRead<QueueSnapshot>> results =
        reader.readEach("queues", names, queue -> inspector.queue(queue).listedSnapshot());
    Map<String, QueueRow> rows = new HashMap<>();
    for (String queue : names) {
      int servers = serversByQueue.getOrDefault(queue, 0);
      RedisReader.QueueRead<QueueSnapshot> result = results.get(queue);
      if (result != null && result.value() != null) {
        rows.put(queue, new QueueRow(queue, result.value(), servers, null));
        continue;
      }
      QueueRow earlier = before.queues().get(queue);
      String problem = result == null ? null : result.problem();
      rows.put(
          queue,
          new QueueRow(
              queue,
              earlier == null ? null : earlier.seen(),
              servers,
              Objects.requireNonNullElse(
                  problem, "the Redis server of the queue does not respond")));
    }
    return rows;
  }

  @Override
  public void close() {
    reader.close();
  }
}
