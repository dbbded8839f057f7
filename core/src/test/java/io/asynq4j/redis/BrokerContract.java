package io.asynq4j.redis;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/**
 * What a broker does, whatever Redis it works on. One server per class, emptied before each test.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrokerContract
    implements EnqueueContract,
        ClaimContract,
        SettleContract,
        ManyActiveContract,
        UpkeepContract,
        AggregationContract,
        PresenceContract,
        ScheduleContract,
        SchedulerContract,
        InspectionContract,
        MixedFleetContract,
        RegressionContract,
        DoctorContract {

  private @Nullable TestServer server;
  private BrokerFixture redis;

  abstract TestServer start();

  @BeforeAll
  void startServer() {
    server = start();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void connect() {
    redis = new BrokerFixture(Objects.requireNonNull(server));
  }

  @AfterEach
  void disconnect() {
    redis.close();
  }

  @Override
  public BrokerFixture redis() {
    return redis;
  }
}
