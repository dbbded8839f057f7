package io.asynq4j.embedded;

import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.util.SafeEncoder;

/**
 * A slot migration between two primaries of an {@link EmbeddedCluster}, so that tests can check
 * clients during it. Not thread-safe.
 */
public final class SlotMigration {

  private static final int BATCH = 100;
  private static final String TIMEOUT_MILLIS = "5000";

  private final EmbeddedCluster cluster;
  private final int slot;
  private final EmbeddedRedis source;
  private final EmbeddedRedis target;
  private final String targetId;

  SlotMigration(EmbeddedCluster cluster, int slot, EmbeddedRedis source, EmbeddedRedis target) {
    this.cluster = cluster;
    this.slot = slot;
    this.source = source;
    this.target = target;
    try (Jedis from = source.connect();
        Jedis to = target.connect()) {
      this.targetId = to.clusterMyId();
      // The target first: the source redirects clients there at once.
      to.clusterSetSlotImporting(slot, from.clusterMyId());
      from.clusterSetSlotMigrating(slot, targetId);
    }
  }

  /** The primary that the slot leaves. */
  public EmbeddedRedis source() {
    return source;
  }

  /** The primary that the slot goes to. */
  public EmbeddedRedis target() {
    return target;
  }

  /**
   * Moves some keys.
   *
   * @return the number of moved keys; 0 if none is left
   */
  public int moveKeys(int atMost) {
    try (Jedis from = source.connect()) {
      List<?> keys =
          (List<?>)
              from.sendCommand(
                  Protocol.Command.CLUSTER,
                  "GETKEYSINSLOT",
                  Integer.toString(slot),
                  Integer.toString(atMost));
      if (keys.isEmpty()) {
        return 0;
      }
      List<byte[]> arguments = new ArrayList<>();
      add(arguments, target.host(), Integer.toString(target.port()), "", "0", TIMEOUT_MILLIS);
      String password = cluster.password();
      if (password != null) {
        add(arguments, "AUTH", password);
      }
      add(arguments, "KEYS");
      keys.forEach(key -> arguments.add((byte[]) key));
      from.sendCommand(Protocol.Command.MIGRATE, arguments.toArray(new byte[0][]));
      return keys.size();
    }
  }

  /** Moves the remaining keys, assigns the slot to the target and waits until all nodes know it. */
  public void finish() {
    while (moveKeys(BATCH) > 0) {
      // Clients may have added keys meanwhile.
    }
    // The target takes a new epoch only if it knows one greater than its current epoch.
    cluster.awaitEpochs();
    // The target first: the slot then has a node at every moment.
    assign(target);
    assign(source);
    cluster.primariesAnd(target).stream()
        .filter(node -> node != target && node != source)
        .forEach(this::assign);
    // The next migration of the slot may follow at once, and needs the epoch of this one.
    cluster.awaitEpochs();
    cluster.awaitOwner(slot, target);
  }

  private void assign(EmbeddedRedis node) {
    try (Jedis jedis = node.connect()) {
      jedis.clusterSetSlotNode(slot, targetId);
    }
  }

  private static void add(List<byte[]> arguments, String... words) {
    for (String word : words) {
      arguments.add(SafeEncoder.encode(word));
    }
  }
}
