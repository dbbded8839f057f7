package io.asynq4j.redis;

class ClusterInspectorIT extends InspectorContract {

  @Override
  TestServer start() {
    return TestServer.cluster();
  }
}
