package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.lease.MessageBus;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.protocol.Packets;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What gateways on one Redis tell each other: what a worker here says of a job whose clients are
 * there. Each has a name, which the header of a job gives ({@link WaitingGatewaysHeader}); those
 * who come to a job that runs already ask all for it. Results do not depend on it. Thread-safe.
 */
public final class GatewayBus {

  private static final Logger log = LoggerFactory.getLogger(GatewayBus.class);

  /** Where all gateways listen. */
  private static final String ALL = "gearman";

  private static final int MOST_AT_ONCE = 100;

  private static final long LONGEST_FENCE_MILLIS = 5_000;

  /** What has not been sent to a receiver is kept in memory; beyond this it is dropped. */
  private static final long MOST_UNSENT_BYTES = 32 << 20;

  /** The same for the number of messages. */
  private static final int MOST_UNSENT = 10_000;

  private enum Kind {
    /** A packet for those who wait for the job. */
    PASS('p'),

    /** It may have ended; whatever was said of it before has been sent before. */
    LOOK('l'),

    /** Clients of the sender wait for it. */
    WANT('w');

    private final byte code;

    Kind(char code) {
      this.code = (byte) code;
    }

    /** Null for what gateways of another version may say. */
    static @Nullable Kind ofCode(byte code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  /** Who hears what others say. */
  public interface Listener {

    void passed(JobKey key, ByteBuffer packet);

    void look(JobKey key);

    void wanted(JobKey key, String gateway);
  }

  /**
   * To be sent, or to be done when all that was said before has been.
   *
   * @param message null = none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Item(byte @Nullable [] message, Runnable then) {}

  private final String name = "gearman-" + randomHex();

  /** Bytes, by receiver. */
  private final Map<String, Long> unsent = new ConcurrentHashMap<>();

  private final EventLoop loop;
  private final Listener listener;
  private final MessageBus switchboard;

  /** By receiver: in a cluster, each may be on another server. */
  private final KeyedBatchExecutor<String, Item> lanes;

  private volatile boolean failing;

  public GatewayBus(RedisConnection redis, EventLoop loop, Listener listener) {
    this.loop = loop;
    this.listener = listener;
    this.switchboard = MessageBus.open(redis, List.of(name, ALL), this::hear);
    this.lanes =
        new KeyedBatchExecutor<>(
            new ServerThreadPools(GatewayBus::daemon, 1),
            (to, item) -> to,
            MOST_AT_ONCE,
            (to, items) -> items.forEach(item -> deal(to, item)));
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-gearman-talk");
    thread.setDaemon(true);
    return thread;
  }

  private static String randomHex() {
    byte[] bytes = new byte[8];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Of this gateway. */
  public String name() {
    return name;
  }

  /** Tells the other gateways that wait for a job what its worker has said. */
  public void pass(AssignedJob job, ByteBuffer packet) {
    for (String to : job.listeners()) {
      if (!isBehind(to) && unsent.getOrDefault(to, 0L) + packet.remaining() <= MOST_UNSENT_BYTES) {
        send(to, Kind.PASS, job.key(), packet);
      } else if (!failing) {
        failing = true;
        log.warn(
            "what gearman workers say reaches no clients of other gateways: Redis is too slow");
      }
    }
  }

  /** Whether Redis does not take what is sent to a gateway. That one looks by itself, too. */
  private boolean isBehind(String to) {
    return lanes.size(to) >= MOST_UNSENT;
  }

  /** Tells the other gateways that wait for a job that it has ended, or gone on to another. */
  public void look(AssignedJob job) {
    for (String to : job.listeners()) {
      if (!isBehind(to)) {
        send(to, Kind.LOOK, job.key(), Packets.NOTHING);
      }
    }
  }

  /** Has this gateway look at a task when it has heard all that was sent to it before. */
  public void lookAfterAll(JobKey key) {
    send(name, Kind.LOOK, key, Packets.NOTHING);
  }

  /** Clients of this gateway wait for a job that runs. */
  void want(JobKey key) {
    send(ALL, Kind.WANT, key, ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Does this when all that was said of a job has been sent, or after {@link #LONGEST_FENCE_MILLIS}
   * when Redis does not answer. Only on the loop, which does it.
   */
  public void afterAll(AssignedJob job, Runnable step) {
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (String to : job.listeners()) {
      CompletableFuture<Void> last = new CompletableFuture<>();
      if (!isBehind(to) && lanes.add(to, new Item(null, () -> last.complete(null)))) {
        sent.add(last);
      }
    }
    if (sent.isEmpty()) {
      step.run();
      return;
    }
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new))
            .orTimeout(LONGEST_FENCE_MILLIS, TimeUnit.MILLISECONDS)
            .whenComplete((none, late) -> loop.execute(step));
  }

  private void send(String to, Kind kind, JobKey key, ByteBuffer packet) {
    byte[] message = encoded(kind, key, packet);
    unsent.merge(to, (long) message.length, Long::sum);
    if (!lanes.add(to, new Item(message, () -> {}))) {
      noLongerUnsent(to, message);
    }
  }

  private void noLongerUnsent(String to, byte[] message) {
    unsent.computeIfPresent(
        to, (any, bytes) -> bytes == message.length ? null : bytes - message.length);
  }

  private void deal(String to, Item item) {
    byte[] message = item.message();
    if (message != null) {
      noLongerUnsent(to, message);
      try {
        switchboard.tell(to, message);
        failing = false;
      } catch (BrokerException e) {
        if (!failing) {
          failing = true;
          log.warn(
              "what gearman workers say reaches no clients of other gateways: {}", e.getMessage());
        }
      }
    }
    item.then().run();
  }

  private static byte[] encoded(Kind kind, JobKey key, ByteBuffer packet) {
    byte[] queue = key.queue().getBytes(StandardCharsets.UTF_8);
    byte[] id = key.id().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(
            1 + 2 * Integer.BYTES + queue.length + id.length + packet.remaining())
        .put(kind.code)
        .putInt(queue.length)
        .put(queue)
        .putInt(id.length)
        .put(id)
        .put(packet.duplicate())
        .array();
  }

  private void hear(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message);
    try {
      Kind kind = Kind.ofCode(in.get());
      if (kind == null) {
        return;
      }
      JobKey key = new JobKey(text(in, in.getInt()), text(in, in.getInt()));
      switch (kind) {
        case PASS -> listener.passed(key, in.slice());
        case LOOK -> listener.look(key);
        case WANT -> wanted(key, text(in, in.remaining()));
      }
    } catch (BufferUnderflowException | NegativeArraySizeException e) {
      log.debug("another gateway has said something that this one does not understand", e);
    }
  }

  private void wanted(JobKey key, String gateway) {
    if (!gateway.equals(name)) {
      listener.wanted(key, gateway);
    }
  }

  private static String text(ByteBuffer in, int length) {
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Sends what is to be sent, for so long. */
  public void close(Duration most) {
    lanes.close(most);
    switchboard.close();
  }
}
