package io.asynq4j.internal.redis.store;

import io.asynq4j.fixture.TestRedis;

class Redis62BrokerIT extends BrokerContract {

  @Override
  public TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
