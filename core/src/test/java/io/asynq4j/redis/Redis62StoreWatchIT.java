package io.asynq4j.redis;

class Redis62StoreWatchIT extends RedisStoreWatchIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
