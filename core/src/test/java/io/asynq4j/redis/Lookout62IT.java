package io.asynq4j.redis;

class Lookout62IT extends LookoutIT {

  @Override
  TestServer start() {
    return TestServer.standalone(TestServer.redis62());
  }
}
