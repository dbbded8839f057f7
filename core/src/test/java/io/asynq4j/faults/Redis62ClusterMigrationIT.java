package io.asynq4j.faults;

import io.asynq4j.embedded.RedisBinary;
import io.asynq4j.fixture.TestRedis;

class Redis62ClusterMigrationIT extends ClusterMigrationIT {

  @Override
  RedisBinary binary() {
    return TestRedis.redis62();
  }
}
