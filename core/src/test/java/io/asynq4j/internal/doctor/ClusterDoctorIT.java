package io.asynq4j.internal.doctor;

import io.asynq4j.fixture.TestRedis;

/** The same where keys are spread over several servers. */
class ClusterDoctorIT extends DoctorIT {

  @Override
  TestRedis start() {
    return TestRedis.cluster();
  }
}
