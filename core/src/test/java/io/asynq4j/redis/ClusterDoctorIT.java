package io.asynq4j.redis;

/** The same where keys are spread over several servers. */
class ClusterDoctorIT extends DoctorIT {

  @Override
  TestRedis start() {
    return TestRedis.cluster();
  }
}
