package io.asynq4j.internal.redis.store;

import io.asynq4j.embedded.RedisBinary;
import io.asynq4j.fixture.TestRedis;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The contract on the redis-server of this machine, whatever its version; only in the long form of
 * the tests.
 */
@EnabledIfSystemProperty(
    named = "asynq4j.full",
    matches = "true",
    disabledReason = "the redis-server on the PATH is tested by ./check --full")
@EnabledIf(value = "isOnPath", disabledReason = "there is no redis-server on the PATH")
class InstalledRedisBrokerIT extends BrokerContract {

  static boolean isOnPath() {
    return RedisBinary.onPath("redis-server").isPresent();
  }

  @Override
  public TestRedis start() {
    return TestRedis.standalone(RedisBinary.onPath("redis-server").orElseThrow());
  }
}
