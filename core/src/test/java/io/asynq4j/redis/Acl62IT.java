package io.asynq4j.redis;

class Acl62IT extends AclIT {

  @Override
  TestServer start() {
    return TestServer.standalone(TestServer.redis62());
  }
}
