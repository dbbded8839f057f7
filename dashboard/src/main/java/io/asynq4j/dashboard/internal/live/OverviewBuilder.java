package io.asynq4j.dashboard.internal.live;

import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.internal.view.ServerView;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.ServerSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds the overview: totals of the part of a snapshot that a user may see. */
public final class OverviewBuilder {

  private final RedisInstance source;
  private final int archiveSize;

  OverviewBuilder(RedisInstance source, int archiveSize) {
    this.source = source;
    this.archiveSize = archiveSize;
  }

  public JsonFields of(RedisSnapshot snapshot, Grant grant) {
    List<QueueRow> rows = snapshot.visible(grant);
    Map<String, Long> sizes = new LinkedHashMap<>();
    for (TaskState state : TaskState.values()) {
      sizes.put(state.word(), rows.stream().mapToLong(row -> row.size(state)).sum());
    }
    List<ServerSnapshot> servers = ServerView.visible(snapshot.servers(), grant);
    double[] rates = source.throughput().perSecond(grant::sees);
    Instant at = snapshot.at();
    return new JsonFields()
        .put("redis", source.name())
        .put("at", at)
        .millis("ageMs", at == null ? null : age(at))
        .millis("everyMs", source.poller().interval())
        .put("problem", snapshot.problem())
        .put("queues", rows.size())
        .put("pausedQueues", rows.stream().filter(QueueRow::paused).count())
        .put("sizes", sizes)
        .put("latencyMs", rows.stream().mapToLong(row -> row.latency().toMillis()).max().orElse(0))
        .put("processedToday", rows.stream().mapToLong(OverviewBuilder::processedToday).sum())
        .put("failedToday", rows.stream().mapToLong(OverviewBuilder::failedToday).sum())
        .put("processedPerSecond", rates[0])
        .put("failedPerSecond", rates[1])
        .put("servers", servers.size())
        .put("workers", servers.stream().mapToInt(ServerSnapshot::concurrency).sum())
        .put("busy", servers.stream().mapToInt(ServerSnapshot::activeWorkers).sum())
        .put(
            "attention",
            AttentionItem.find(snapshot, grant, archiveSize).stream()
                .map(each -> each.fields().map())
                .toList());
  }

  private Duration age(Instant at) {
    Duration age = Duration.between(at, source.now());
    return age.isNegative() ? Duration.ZERO : age;
  }

  private static long processedToday(QueueRow row) {
    return row.seen() == null ? 0 : row.seen().processedToday();
  }

  private static long failedToday(QueueRow row) {
    return row.seen() == null ? 0 : row.seen().failedToday();
  }
}
