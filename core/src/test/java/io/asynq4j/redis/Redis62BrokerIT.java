package io.asynq4j.redis;

class Redis62BrokerIT extends BrokerContract {

  @Override
  TestServer start() {
    return TestServer.standalone(TestServer.redis62());
  }
}
