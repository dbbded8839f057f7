package io.asynq4j.redis;

class LinkFaults62IT extends RedisFaultsIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
