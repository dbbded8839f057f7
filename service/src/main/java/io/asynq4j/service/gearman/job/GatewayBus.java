package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.lease.MessageBus;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.executor.KeyedBatchExecutor;
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
 * Messages between the gateways on one Redis: packets of a worker are sent to the gateways whose
 * clients wait for the job. The header of a job names them ({@link WaitingGatewaysHeader}). A
 * gateway whose client joins a running job sends a request to all. Results do not depend on
 * messages. Thread-safe.
 */
public final class GatewayBus {

  private static final Logger log = LoggerFactory.getLogger(GatewayBus.class);

  /** The channel of all gateways. */
  private static final String ALL = "gearman";

  private static final int MAX_BATCH = 100;

  private static final long SEND_TIMEOUT_MILLIS = 5_000;

  /** Limit of unsent messages to a receiver in memory; further ones are dropped. */
  private static final long MAX_UNSENT_BYTES = 32 << 20;

  /** Limit of their number. */
  private static final int MAX_UNSENT = 10_000;

  private enum Kind {
    /** A packet for the clients of the job. */
    PACKET('p'),

    /** The job may have ended; all its packets have been sent before. */
    POLL('l'),

    /** Clients of the sender wait for the job. */
    SUBSCRIBE('w');

    private final byte code;

    Kind(char code) {
      this.code = (byte) code;
    }

    /** Null for a message of another version. */
    static @Nullable Kind ofCode(byte code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  /** Receives the messages of other gateways. */
  public interface Listener {

    void packet(JobKey key, ByteBuffer packet);

    void poll(JobKey key);

    void subscribed(JobKey key, String gateway);
  }

  /**
   * A message to send, and an action after that.
   *
   * @param message null = only the action
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Item(byte @Nullable [] message, Runnable then) {}

  private final String name = "gearman-" + randomHex();

  /** Bytes, by receiver. */
  private final Map<String, Long> unsent = new ConcurrentHashMap<>();

  private final EventLoop loop;
  private final Listener listener;
  private final MessageBus messages;

  /** By receiver: in a cluster, each may be on another server. */
  private final KeyedBatchExecutor<String, Item> lanes;

  private volatile boolean failing;

  public GatewayBus(RedisConnection redis, EventLoop loop, Listener listener) {
    this.loop = loop;
    this.listener = listener;
    this.messages = MessageBus.open(redis, List.of(name, ALL), this::receive);
    this.lanes =
        KeyedBatchExecutor.perServer(
            "asynq-gearman-bus", MAX_BATCH, (to, items) -> items.forEach(item -> send(to, item)));
  }

  private static String randomHex() {
    byte[] bytes = new byte[8];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** The name of this gateway. */
  public String name() {
    return name;
  }

  /** Sends a packet of a worker to the other gateways that wait for its job. */
  public void forward(AssignedJob job, ByteBuffer packet) {
    for (String to : job.listeners()) {
      if (!isBehind(to) && unsent.getOrDefault(to, 0L) + packet.remaining() <= MAX_UNSENT_BYTES) {
        send(to, Kind.PACKET, job.key(), packet);
      } else if (!failing) {
        failing = true;
        log.warn(
            "packets of gearman workers do not reach clients of other gateways: Redis is too slow");
      }
    }
  }

  /** Whether too many messages to a gateway are unsent. That gateway also polls. */
  private boolean isBehind(String to) {
    return lanes.size(to) >= MAX_UNSENT;
  }

  /** Makes the other gateways that wait for a job poll it: its worker no longer has it. */
  public void poll(AssignedJob job) {
    for (String to : job.listeners()) {
      if (!isBehind(to)) {
        send(to, Kind.POLL, job.key(), Packets.NOTHING);
      }
    }
  }

  /** Makes this gateway poll a task when it has received all earlier messages. */
  public void pollAfterMessages(JobKey key) {
    send(name, Kind.POLL, key, Packets.NOTHING);
  }

  /** Requests the packets of a running job that clients of this gateway wait for. */
  void subscribe(JobKey key) {
    send(ALL, Kind.SUBSCRIBE, key, ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Runs an action on the event loop when all messages about a job have been sent, or after {@link
   * #SEND_TIMEOUT_MILLIS} when Redis does not respond. To be called on the event loop.
   */
  public void afterMessages(AssignedJob job, Runnable step) {
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
            .orTimeout(SEND_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
            .whenComplete((none, late) -> loop.execute(step));
  }

  private void send(String to, Kind kind, JobKey key, ByteBuffer packet) {
    byte[] message = encoded(kind, key, packet);
    unsent.merge(to, (long) message.length, Long::sum);
    if (!lanes.add(to, new Item(message, () -> {}))) {
      removeUnsent(to, message);
    }
  }

  private void removeUnsent(String to, byte[] message) {
    unsent.computeIfPresent(
        to, (any, bytes) -> bytes == message.length ? null : bytes - message.length);
  }

  private void send(String to, Item item) {
    byte[] message = item.message();
    if (message != null) {
      removeUnsent(to, message);
      try {
        messages.send(to, message);
        failing = false;
      } catch (BrokerException e) {
        if (!failing) {
          failing = true;
          log.warn(
              "packets of gearman workers do not reach clients of other gateways: {}",
              e.getMessage());
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

  private void receive(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message);
    try {
      Kind kind = Kind.ofCode(in.get());
      if (kind == null) {
        return;
      }
      JobKey key = new JobKey(text(in, in.getInt()), text(in, in.getInt()));
      switch (kind) {
        case PACKET -> listener.packet(key, in.slice());
        case POLL -> listener.poll(key);
        case SUBSCRIBE -> subscribed(key, text(in, in.remaining()));
      }
    } catch (BufferUnderflowException | NegativeArraySizeException e) {
      log.debug("a message of another gateway cannot be read", e);
    }
  }

  private void subscribed(JobKey key, String gateway) {
    if (!gateway.equals(name)) {
      listener.subscribed(key, gateway);
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

  /** Sends the unsent messages, up to this time. */
  public void close(Duration timeout) {
    lanes.close(timeout);
    messages.close();
  }
}
