package io.asynq4j.internal.redis.store;

import io.asynq4j.fixture.TestRedis;

class ClusterBrokerIT extends BrokerContract {

  @Override
  public TestRedis start() {
    return TestRedis.cluster();
  }
}
