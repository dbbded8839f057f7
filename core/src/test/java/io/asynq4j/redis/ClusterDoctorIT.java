package io.asynq4j.redis;

/** The same where keys are spread over several servers. */
class ClusterDoctorIT extends DoctorIT {

  @Override
  TestServer start() {
    return TestServer.cluster();
  }
}
