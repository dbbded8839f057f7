package io.asynq4j.internal.redis.simulation;

import io.asynq4j.QueueName;
import io.asynq4j.fixture.SettableClock;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisNodes;
import io.asynq4j.internal.redis.store.RedisBroker;
import io.asynq4j.redis.RedisConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One of our processes: a broker of its own, and what it believes to hold. A patient one repeats a
 * call whose answer got lost; the other gives up at once, and its caller sees the exception.
 */
public final class SimulatedWorker implements AutoCloseable {

  final String name;
  final boolean patient;
  public final LossyRedisNodes nodes;
  public final RedisBroker broker;

  /** Held, or lost since: a worker does not always hear of it. */
  final List<Claim> claims = new ArrayList<>();

  /** Claims whose answer never came, as the broker has them. */
  final Map<QueueName, Deque<Unanswered>> unanswered = new HashMap<>();

  private final RedisCommandExecutor link;

  /**
   * A claim that is asked for, or was in vain.
   *
   * @param token null when nothing was given, so that nobody has seen it
   */
  record Unanswered(
      @Nullable String token,
      List<String> ids,
      int max,
      Duration lease,
      QueueRules rules,
      boolean isNew) {}

  public SimulatedWorker(String name, boolean patient, RedisConfig config, SettableClock clock) {
    this.name = name;
    this.patient = patient;
    this.nodes = new LossyRedisNodes(RedisNodes.of(config));
    this.link =
        new RedisCommandExecutor(
            config.toBuilder().retryFor(patient ? Duration.ofSeconds(5) : Duration.ZERO).build(),
            () -> nodes);
    this.broker = RedisBroker.on(link, new TestTime(clock), /* numberedEnqueue= */ true);
  }

  Deque<Unanswered> unanswered(QueueName queue) {
    return unanswered.computeIfAbsent(queue, any -> new ArrayDeque<>());
  }

  @Override
  public void close() {
    link.close();
  }
}
