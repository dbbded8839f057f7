package io.asynq4j.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.embedded.RedisBinary;
import java.util.Optional;

/**
 * The contract on the redis-server of this machine, whatever its version; only in the long form of
 * the tests.
 */
class PathRedisBrokerIT extends BrokerContract {

  @Override
  TestServer start() {
    assumeTrue(
        Boolean.getBoolean("asynq4j.full"),
        "the redis-server on the PATH is tested by ./check --full");
    Optional<RedisBinary> binary = RedisBinary.onPath("redis-server");
    assumeTrue(binary.isPresent(), "there is no redis-server on the PATH");
    return TestServer.standalone(binary.get());
  }
}
