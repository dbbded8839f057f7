package io.asynq4j.redis;

class StandaloneBrokerIT extends BrokerContract {

  @Override
  TestRedis start() {
    return TestRedis.standalone();
  }
}
