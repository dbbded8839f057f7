package io.asynq4j.redis;

class Redis62FaultsIT extends RedisFaultsIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
