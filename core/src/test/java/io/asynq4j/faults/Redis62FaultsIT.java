package io.asynq4j.faults;

import io.asynq4j.fixture.TestRedis;

class Redis62FaultsIT extends RedisFaultsIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
