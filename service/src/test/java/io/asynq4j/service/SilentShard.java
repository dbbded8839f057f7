package io.asynq4j.service;

import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A cluster with one server that can be made silent, and names of queues on it and on others. */
public final class SilentShard implements AutoCloseable {

  /** Longer than any test, so that no test passes because a call to the silent server timed out. */
  public static final Duration VERY_LONG = Duration.ofMinutes(2);

  private final EmbeddedCluster cluster =
      EmbeddedCluster.builder().config("cluster-require-full-coverage", "no").start();
  private final RedisConnection lookup = RedisConnection.open(cluster.uri());
  private final EmbeddedRedis silent;

  /**
   * @param node which of the three servers becomes silent
   */
  public SilentShard(int node) {
    this.silent = cluster.nodes().get(node);
  }

  public String uri() {
    return cluster.uri();
  }

  public RedisConnection connect(Duration commandTimeout, Duration retryFor) {
    return RedisConnection.open(
        RedisConfig.parse(cluster.uri()).toBuilder()
            .commandTimeout(commandTimeout)
            .retryFor(retryFor)
            .build());
  }

  /** Names of queues on the silent server, or on others. */
  public List<String> queues(boolean ofSilent, int count) {
    TaskLeases leases = TaskLeases.create(lookup);
    // The servers are known after the first call.
    leases.claim("any", 1, Duration.ofSeconds(1));
    List<String> found = new ArrayList<>();
    for (int i = 0; found.size() < count; i++) {
      boolean isOnIt = leases.serverOf("q" + i).endsWith(":" + silent.port());
      if (isOnIt == ofSilent) {
        found.add("q" + i);
      }
    }
    return found;
  }

  public void pause() {
    silent.pause();
  }

  public void resume() {
    silent.resume();
  }

  @Override
  public void close() {
    silent.resume();
    lookup.close();
    cluster.close();
  }
}
