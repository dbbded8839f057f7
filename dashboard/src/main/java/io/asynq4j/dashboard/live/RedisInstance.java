package io.asynq4j.dashboard.live;

import io.asynq4j.client.TaskClient;
import io.asynq4j.dashboard.auth.AuditLog;
import io.asynq4j.dashboard.config.DashboardSettings;
import io.asynq4j.dashboard.search.BulkJobRunner;
import io.asynq4j.dashboard.view.PayloadRenderer;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** One Redis that the dashboard shows, under the name that it was given. Thread-safe. */
public final class RedisInstance implements AutoCloseable {

  /** What comes in over HTTP is bounded before; this is only the last line. */
  private static final int MAX_PAYLOAD = 16 << 20;

  private final String name;
  private final RedisConnection redis;
  private final Inspector inspector;
  private final TaskClient client;
  private final ThroughputHistory history = new ThroughputHistory();
  private final QueueSizeHistory levels = new QueueSizeHistory();
  private final AtomicLong changes = new AtomicLong();
  private final OverviewBuilder overview;
  private final EventBroadcaster streams;
  private final SnapshotPoller watch;
  private final BulkJobRunner jobs;

  RedisInstance(String name, RedisConnection redis, DashboardSettings settings, AuditLog audit) {
    this.name = name;
    this.redis = redis;
    this.inspector =
        Inspector.builder(redis)
            .archive(archive -> archive.maxSize(settings.archiveSize()))
            .build();
    this.client = TaskClient.builder(redis).maxPayload(MAX_PAYLOAD).build();
    this.overview = new OverviewBuilder(this, settings.archiveSize());
    this.streams = new EventBroadcaster(this);
    this.watch =
        new SnapshotPoller(
            inspector,
            name,
            redis.clock(),
            settings.refresh(),
            SnapshotPoller.QUICK,
            history,
            levels,
            streams::isWatched,
            streams::changed);
    this.jobs = new BulkJobRunner(this, new PayloadRenderer(settings), audit, streams::jobWentOn);
  }

  void start() {
    watch.start();
  }

  public String name() {
    return name;
  }

  public RedisConnection redis() {
    return redis;
  }

  public Inspector inspector() {
    return inspector;
  }

  public TaskClient client() {
    return client;
  }

  public ThroughputHistory history() {
    return history;
  }

  public QueueSizeHistory levels() {
    return levels;
  }

  public SnapshotPoller watch() {
    return watch;
  }

  public OverviewBuilder overview() {
    return overview;
  }

  public EventBroadcaster streams() {
    return streams;
  }

  public BulkJobRunner jobs() {
    return jobs;
  }

  /** Something was changed through the dashboard: what is remembered here may be so no longer. */
  public void changed() {
    changes.incrementAndGet();
    watch.changed();
  }

  /** How often something was. */
  public long changes() {
    return changes.get();
  }

  /** The time in Redis. */
  public Instant now() {
    return redis.clock().instant();
  }

  /** Leaves the connection open: it is the caller's. */
  @Override
  public void close() {
    jobs.close();
    watch.close();
    streams.close();
    client.close();
  }
}
