package io.asynq4j.redis;

class Redis62BrokerIT extends BrokerContract {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
