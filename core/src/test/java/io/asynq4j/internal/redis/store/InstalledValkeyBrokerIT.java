package io.asynq4j.internal.redis.store;

import io.asynq4j.embedded.RedisBinary;
import io.asynq4j.fixture.TestRedis;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The contract on the valkey-server of this machine, whatever its version; only in the long form of
 * the tests.
 */
@EnabledIfSystemProperty(
    named = "asynq4j.full",
    matches = "true",
    disabledReason = "the valkey-server on the PATH is tested by ./check --full")
@EnabledIf(value = "isOnPath", disabledReason = "there is no valkey-server on the PATH")
class InstalledValkeyBrokerIT extends BrokerContract {

  static boolean isOnPath() {
    return RedisBinary.onPath("valkey-server").isPresent();
  }

  @Override
  public TestRedis start() {
    return TestRedis.standalone(RedisBinary.onPath("valkey-server").orElseThrow());
  }
}
