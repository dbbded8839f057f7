package io.asynq4j.redis;

class StandaloneBrokerIT extends BrokerContract {

  @Override
  TestServer start() {
    return TestServer.standalone();
  }
}
