package io.asynq4j.internal.doctor;

import io.asynq4j.fixture.TestRedis;

/** The doctor on a cluster. */
class ClusterDoctorIT extends DoctorIT {

  @Override
  TestRedis start() {
    return TestRedis.cluster();
  }
}
