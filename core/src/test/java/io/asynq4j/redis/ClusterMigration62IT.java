package io.asynq4j.redis;

import io.asynq4j.embedded.RedisBinary;

class ClusterMigration62IT extends ClusterMigrationIT {

  @Override
  RedisBinary binary() {
    return TestServer.redis62();
  }
}
