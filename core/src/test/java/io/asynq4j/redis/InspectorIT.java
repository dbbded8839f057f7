package io.asynq4j.redis;

class InspectorIT extends InspectorContract {

  @Override
  TestRedis start() {
    return TestRedis.standalone();
  }
}
