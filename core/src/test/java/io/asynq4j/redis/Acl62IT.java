package io.asynq4j.redis;

class Acl62IT extends AclIT {

  @Override
  TestRedis start() {
    return TestRedis.standalone(TestRedis.redis62());
  }
}
