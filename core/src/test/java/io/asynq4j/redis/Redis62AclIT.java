package io.asynq4j.redis;

class Redis62AclIT extends AclIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
