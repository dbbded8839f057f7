package io.asynq4j.redis;

import io.asynq4j.fixture.TestRedis;

class Redis62AclIT extends AclIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
