package io.asynq4j.redis;

class InspectorIT extends InspectorContract {

  @Override
  TestServer start() {
    return TestServer.standalone();
  }
}
