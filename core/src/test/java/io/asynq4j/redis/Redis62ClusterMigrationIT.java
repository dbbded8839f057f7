package io.asynq4j.redis;

import io.asynq4j.embedded.RedisBinary;

class Redis62ClusterMigrationIT extends ClusterMigrationIT {

  @Override
  RedisBinary binary() {
    return TestRedis.redis62();
  }
}
