package io.asynq4j.redis;

class ClusterInspectorIT extends InspectorContract {

  @Override
  TestRedis start() {
    return TestRedis.cluster();
  }
}
