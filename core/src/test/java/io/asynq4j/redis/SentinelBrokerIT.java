package io.asynq4j.redis;

class SentinelBrokerIT extends BrokerContract {

  @Override
  TestRedis start() {
    return TestRedis.sentinel();
  }
}
