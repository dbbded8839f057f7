package io.asynq4j.testing.internal;

import io.asynq4j.QueueName;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.connection.RedisNodes;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A Redis process with a time that tests set. Processes are reused within the JVM: one after the
 * other, and as many at once as there are environments. They end with the JVM.
 */
public final class TestRedis {

  /** Maximum time of a command. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Deque<TestRedis> IDLE = new ArrayDeque<>();

  static {
    WarmUp.start();
  }

  private final EmbeddedRedis process = EmbeddedRedis.builder().ephemeral().start();
  private final RawRedis raw = new RawRedis(process);
  private final ExpiringKeys expiringKeys = new ExpiringKeys(raw);
  private final TestTime.Shared time = new TestTime.Shared(wholeSecond());
  private final Faults faults = new Faults();
  private final BrokerConnection own;

  private TestRedis() {
    RedisConfig config = config().build();
    this.own =
        new BrokerConnection(
            config, () -> RedisNodes.of(config), new TestTime(time, /* ofServers= */ false));
  }

  private RedisConfig.Builder config() {
    return RedisConfig.parse(process.uri()).toBuilder().commandTimeout(PATIENCE);
  }

  /** Returns an empty Redis that no one else uses. */
  public static TestRedis acquire() {
    TestRedis idle;
    synchronized (IDLE) {
      idle = IDLE.poll();
    }
    TestRedis redis = idle != null && idle.process.isRunning() ? idle : new TestRedis();
    redis.reset();
    return redis;
  }

  /** Gives the process back for others. */
  public void release() {
    synchronized (IDLE) {
      IDLE.push(this);
    }
  }

  /** Deletes all data and requested faults, and sets the clock to the present. */
  public void reset() {
    faults.clear();
    raw.flush();
    time.forget();
    set(wholeSecond());
  }

  /** The protocol stores whole seconds, so that due times are exact. */
  private static Instant wholeSecond() {
    return Clock.systemUTC().instant().truncatedTo(ChronoUnit.SECONDS);
  }

  /** Opens a connection for the application under test: it meets the requested faults. */
  public RedisConnection open(PayloadCodec codec) {
    // Without retries a fault is one failed call, at once.
    RedisConfig config = config().codec(codec).retryFor(Duration.ZERO).build();
    return new BrokerConnection(
        config, () -> new FaultyNodes(config, faults), new TestTime(time, /* ofServers= */ true));
  }

  /** Returns the connection of the test kit, which no fault affects. */
  public RedisConnection own() {
    return own;
  }

  Broker broker() {
    return BrokerConnection.brokerOf(own);
  }

  /** Returns the queues that have data, in order of their names. */
  public List<QueueName> queues() {
    return raw.queues();
  }

  RawRedis raw() {
    return raw;
  }

  public String uri() {
    return process.uri();
  }

  public Faults faults() {
    return faults;
  }

  public Clock clock() {
    return time.clock();
  }

  public Instant now() {
    return time.now();
  }

  /** Returns whether Redis has no data. */
  boolean isEmpty() {
    return expiringKeys.isEmpty();
  }

  /** Sets the clock, and deletes what has expired by then. */
  void set(Instant now) {
    expiringKeys.expire(time.now(), now);
    time.set(now);
  }
}
