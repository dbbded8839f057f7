package io.asynq4j.benchmarks.harness;

import static io.asynq4j.benchmarks.harness.RawScript.bytes;

import io.asynq4j.QueueName;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;

/**
 * Calls the scripts of the library on one connection, without decoding, checks, retries or caching.
 * For one thread.
 */
public final class BareClient implements AutoCloseable {

  private static final byte[] ZERO = bytes("0");
  private static final byte[] LEASE_SECONDS = bytes("3600");
  private static final int MESSAGE_BYTES = 250;

  private final Jedis jedis;
  private final RawScript claim;
  private final RawScript complete;
  private final RawScript enqueue;
  private long number;

  /** Tasks that were claimed in one call. */
  record Taken(String token, long expiry, List<byte[]> ids) {}

  public BareClient(String uri, QueueName queue) {
    this.jedis =
        new Jedis(
            URI.create(uri),
            DefaultJedisClientConfig.builder()
                .protocol(RedisProtocol.RESP2)
                .timeoutMillis(60_000)
                .build());
    String prefix = "asynq:{" + queue.value() + "}:";
    String lane = "lane:" + UUID.randomUUID();
    this.claim =
        new RawScript(
            jedis,
            "claim",
            prefix,
            List.of("pending", "active", "lease", "paused", "settings", "bucket", lane, "guard"));
    this.complete =
        new RawScript(
            jedis, "complete", prefix, List.of("active", "lease", "completed", lane, "guard"));
    this.enqueue = new RawScript(jedis, "enqueue", prefix, List.of("pending", lane, "guard"));
  }

  private String next() {
    return Long.toString(++number);
  }

  /** Claims up to this many tasks. */
  Taken claim(int max) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String token =
        String.format(Locale.ROOT, "%06d-", random.nextInt(1, 1_000_000))
            + Long.toString(random.nextLong() >>> 1, 36);
    List<?> reply =
        (List<?>)
            claim.call(
                next(),
                List.of(
                    bytes(Integer.toString(max)),
                    LEASE_SECONDS,
                    bytes(token),
                    ZERO,
                    ZERO,
                    ZERO,
                    ZERO,
                    ZERO));
    List<byte[]> ids = new ArrayList<>(max);
    for (int i = 3; i < reply.size(); i += 3) {
      ids.add((byte[]) reply.get(i));
    }
    return new Taken(token, (Long) reply.get(2), ids);
  }

  void complete(Taken taken) {
    byte[] token = bytes(taken.token());
    byte[] expiry = bytes(Long.toString(taken.expiry()));
    List<byte[]> items = new ArrayList<>(1 + taken.ids().size() * 3);
    // Only the lease of each task is sent, because the tasks are deleted.
    items.add(bytes("3"));
    for (byte[] id : taken.ids()) {
      items.add(id);
      items.add(token);
      items.add(expiry);
    }
    complete.call(next(), items);
  }

  /** Enqueues this many messages of the usual size with arbitrary content. */
  public void enqueue(int count) {
    List<byte[]> items = new ArrayList<>(1 + count * 2);
    // ID and message of each task are sent; the tasks have no unique lock.
    items.add(bytes("2"));
    for (int i = 0; i < count; i++) {
      items.add(bytes(UUID.randomUUID().toString()));
      items.add(new byte[MESSAGE_BYTES]);
    }
    enqueue.call(next(), items);
  }

  void ping() {
    jedis.ping();
  }

  @Override
  public void close() {
    jedis.close();
  }
}
