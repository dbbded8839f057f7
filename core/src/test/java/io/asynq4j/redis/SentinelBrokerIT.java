package io.asynq4j.redis;

class SentinelBrokerIT extends BrokerContract {

  @Override
  TestServer start() {
    return TestServer.sentinel();
  }
}
