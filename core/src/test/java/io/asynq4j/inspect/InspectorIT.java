package io.asynq4j.inspect;

import io.asynq4j.fixture.TestRedis;

class InspectorIT extends InspectorContract {

  @Override
  public TestRedis start() {
    return TestRedis.standalone();
  }
}
