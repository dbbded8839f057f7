package io.asynq4j.internal.redis.watch;

import io.asynq4j.fixture.TestRedis;

class Redis62StoreWatchIT extends RedisStoreWatchIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
