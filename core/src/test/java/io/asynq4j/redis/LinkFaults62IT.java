package io.asynq4j.redis;

class LinkFaults62IT extends LinkFaultsIT {

  @Override
  TestServer start() {
    return TestServer.standalone(TestServer.redis62());
  }
}
