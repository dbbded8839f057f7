package io.asynq4j.internal.redis.simulation;

import io.asynq4j.fixture.TestRedis;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Long random runs on a real Redis, compared with a model. Replay one with {@code
 * -Dasynq4j.seed=…}; make it longer with {@code -Dasynq4j.steps=…}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerSimulationIT {

  private static final int STEPS = Integer.getInteger("asynq4j.steps", 800);

  private TestRedis server;

  @BeforeAll
  void start() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  static LongStream seeds() {
    Long seed = Long.getLong("asynq4j.seed");
    return seed != null
        ? LongStream.of(seed)
        : LongStream.of(1, 2, 3, ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everyStepLeavesRedisAsTheModelPredicts(long seed) {
    play(server, seed, STEPS);
  }

  @Test
  void aClusterIsNoDifferent() {
    Long seed = Long.getLong("asynq4j.seed");
    try (TestRedis cluster = TestRedis.cluster()) {
      play(cluster, seed != null ? seed : 5, STEPS / 2);
    }
  }

  private static void play(TestRedis server, long seed, int steps) {
    System.out.printf(
        "%d random steps, seed %d (replay with -Dasynq4j.seed=%d)%n", steps, seed, seed);
    try (Simulation run = new Simulation(server, seed)) {
      run.run(steps);
    }
  }
}
