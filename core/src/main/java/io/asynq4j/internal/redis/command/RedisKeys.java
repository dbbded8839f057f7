package io.asynq4j.internal.redis.command;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The names of all Redis keys. No other Java code builds key names; scripts derive theirs from the
 * queue's prefix.
 */
public final class RedisKeys {

  public static final String QUEUES = "asynq:queues";
  public static final String SERVERS = "asynq:servers";
  public static final String WORKERS = "asynq:workers";
  public static final String SCHEDULERS = "asynq:schedulers";

  /** Schedule entries: entry name to queue. */
  public static final String SCHEDULES = "asynq:schedules";

  /** Task definitions by name. */
  public static final String DEFINITIONS = "asynq:definitions";

  public static final String CANCEL_CHANNEL = "asynq:cancel";

  /** The channel on which Redis sends invalidation messages. */
  public static final String INVALIDATIONS = "__redis__:invalidate";

  public static final int SLOTS = 16384;

  private RedisKeys() {}

  /** The channel for messages to the processes with this name. */
  public static String channel(String name) {
    return "asynq:channel:" + name;
  }

  /** The prefix of all keys of a queue. The braces place them in one slot. */
  public static String prefix(QueueName queue) {
    return "asynq:{" + queue.value() + "}:";
  }

  /** The pattern for all keys with this prefix, with special characters escaped. */
  public static String pattern(String prefix) {
    return prefix.replaceAll("([\\[\\]*?\\\\])", "\\\\$1") + "*";
  }

  /** A container or setting of a queue, by its key suffix. */
  public static String of(QueueName queue, String word) {
    return prefix(queue) + word;
  }

  public static String of(QueueName queue, StoreWatch.QueuePart part) {
    return of(queue, part.name().toLowerCase(Locale.ROOT));
  }

  public static String task(QueueName queue, String id) {
    return prefix(queue) + "t:" + id;
  }

  public static String group(QueueName queue, String group) {
    return prefix(queue) + "g:" + group;
  }

  public static String aggregationSet(QueueName queue, String group, String setId) {
    return group(queue, group) + ":" + setId;
  }

  public static String processedOn(QueueName queue, LocalDate date) {
    return prefix(queue) + "processed:" + date;
  }

  public static String failedOn(QueueName queue, LocalDate date) {
    return prefix(queue) + "failed:" + date;
  }

  /** The lock of a unique task: equal for tasks of the same queue, type and payload. */
  public static String unique(QueueName queue, String type, Payload payload) {
    return prefix(queue) + "unique:" + type + ":" + (payload.isPresent() ? md5(payload) : "");
  }

  public static String server(String host, int pid, String serverId) {
    return SERVERS + ":{" + host + ":" + pid + ":" + serverId + "}";
  }

  public static String workers(String host, int pid, String serverId) {
    return WORKERS + ":{" + host + ":" + pid + ":" + serverId + "}";
  }

  /** The worker list of a server while it is still being written. */
  public static String gatheredWorkers(String host, int pid, String serverId) {
    return "asynq:gathered_workers:{" + host + ":" + pid + ":" + serverId + "}";
  }

  public static String scheduler(String schedulerId) {
    return SCHEDULERS + ":{" + schedulerId + "}";
  }

  public static String schedulerHistory(String entryId) {
    return "asynq:scheduler_history:" + entryId;
  }

  /** The part in braces of the key of a server, its workers or a scheduler. */
  public static String ownerOf(String key) {
    int start = key.indexOf('{');
    return start >= 0 && key.endsWith("}") ? key.substring(start + 1, key.length() - 1) : key;
  }

  /**
   * The registry that lists the key of a server, its workers or a scheduler; null for other keys.
   */
  public static @Nullable String registryOf(String key) {
    return Stream.of(SERVERS, WORKERS, SCHEDULERS)
        .filter(registry -> key.startsWith(registry + ":{"))
        .findFirst()
        .orElse(null);
  }

  /** The leader key of the schedulers that have the same entries. */
  public static String schedulerLeader(String group) {
    return "asynq:scheduler_leader:" + group;
  }

  public static String semaphore(String scope) {
    return "asynq:sema:" + scope;
  }

  /**
   * The Redis Cluster slot of a key: computed from the text in its first braces, or from the whole
   * key.
   */
  public static int slot(String key) {
    return JedisClusterCRC16.getSlot(key);
  }

  private static String md5(Payload payload) {
    try {
      // Not used for security: the protocol requires MD5.
      MessageDigest digest = MessageDigest.getInstance("MD5");
      digest.update(payload.view());
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(
          "this JVM provides no MD5, which the asynq protocol requires for unique tasks; use a JDK with MD5 support",
          e);
    }
  }
}
