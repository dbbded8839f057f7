package io.asynq4j.dashboard.internal.live;

import io.asynq4j.client.TaskClient;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** One of the Redis servers or clusters that the dashboard shows. Thread-safe. */
public final class RedisInstance implements AutoCloseable {

  /** Requests are already limited by the HTTP server; this limit only protects against mistakes. */
  private static final int MAX_PAYLOAD = 16 << 20;

  private final String name;
  private final RedisConnection redis;
  private final Inspector inspector;
  private final TaskClient client;
  private final ThroughputHistory throughput = new ThroughputHistory();
  private final QueueSizeHistory queueSizes = new QueueSizeHistory();
  private final AtomicLong changes = new AtomicLong();
  private final OverviewBuilder overview;
  private final EventBroadcaster events;
  private final SnapshotPoller poller;

  RedisInstance(String name, RedisConnection redis, DashboardSettings settings) {
    this.name = name;
    this.redis = redis;
    this.inspector = Inspector.builder(redis).archive(settings::applyArchive).build();
    this.client = TaskClient.builder(redis).maxPayload(MAX_PAYLOAD).build();
    this.overview = new OverviewBuilder(this, settings.archive().maxSize());
    this.events = new EventBroadcaster(this);
    this.poller =
        new SnapshotPoller(
            inspector,
            name,
            redis.clock(),
            settings.refresh(),
            SnapshotPoller.QUICK,
            throughput,
            queueSizes,
            events::hasViewers,
            events::sendChanges);
  }

  void start() {
    poller.start();
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

  public ThroughputHistory throughput() {
    return throughput;
  }

  public QueueSizeHistory queueSizes() {
    return queueSizes;
  }

  public SnapshotPoller poller() {
    return poller;
  }

  public OverviewBuilder overview() {
    return overview;
  }

  public EventBroadcaster events() {
    return events;
  }

  /** Records a change made through the dashboard, which makes earlier snapshots outdated. */
  public void markChanged() {
    changes.incrementAndGet();
    poller.markChanged();
  }

  /** Returns the number of changes made through the dashboard. */
  public long changeCount() {
    return changes.get();
  }

  /** Returns the time of Redis. */
  public Instant now() {
    return redis.clock().instant();
  }

  /** Does not close the connection, which belongs to the caller. */
  @Override
  public void close() {
    poller.close();
    events.close();
    client.close();
  }
}
