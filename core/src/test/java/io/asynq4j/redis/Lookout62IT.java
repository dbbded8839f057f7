package io.asynq4j.redis;

class Lookout62IT extends RedisStoreWatchIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
