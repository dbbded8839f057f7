package io.asynq4j.redis;

class ClusterBrokerIT extends BrokerContract {

  @Override
  TestServer start() {
    return TestServer.cluster();
  }
}
