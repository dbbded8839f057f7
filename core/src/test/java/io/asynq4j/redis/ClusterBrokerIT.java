package io.asynq4j.redis;

class ClusterBrokerIT extends BrokerContract {

  @Override
  TestRedis start() {
    return TestRedis.cluster();
  }
}
