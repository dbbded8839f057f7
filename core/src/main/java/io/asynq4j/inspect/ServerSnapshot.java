package io.asynq4j.inspect;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A live server, as it was at its last heartbeat. Immutable.
 *
 * @param queues the queues that it serves, with their weights
 * @param status {@code active}, {@code stopped} (it claims nothing more) or {@code closed} (it
 *     ends); {@code broken} when what it wrote cannot be read
 * @param heartbeatAge how long ago it has shown itself, to about a second
 * @param activeWorkers how many tasks it works on, by its own count
 * @param workers those tasks
 * @param problem why the row is broken, so that only its host, process and id are known; null when
 *     it is not
 */
public record ServerSnapshot(
    String id,
    String host,
    int pid,
    int concurrency,
    Map<String, Integer> queues,
    boolean strictPriority,
    String status,
    @Nullable Instant started,
    Duration heartbeatAge,
    int activeWorkers,
    List<WorkerSnapshot> workers,
    @Nullable String problem) {

  public ServerSnapshot {
    queues = Map.copyOf(queues);
    workers = List.copyOf(workers);
  }

  /** Whether it claims tasks, from this queue among others. */
  public boolean serves(String queue) {
    return status.equals("active") && queues.containsKey(queue);
  }
}
