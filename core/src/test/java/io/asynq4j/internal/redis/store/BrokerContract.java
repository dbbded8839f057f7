package io.asynq4j.internal.redis.store;

import io.asynq4j.fixture.RedisTestBase;
import io.asynq4j.internal.doctor.DoctorContract;
import io.asynq4j.schedule.SchedulerContract;

/** The behavior of a broker on any Redis. */
abstract class BrokerContract extends RedisTestBase
    implements EnqueueContract,
        ClaimContract,
        SettleContract,
        WrongKeyTypeContract,
        ActiveListContract,
        UpkeepContract,
        AggregationContract,
        PresenceContract,
        ScheduleStoreContract,
        SchedulerContract,
        InspectionContract,
        MixedFleetContract,
        RegressionContract,
        DoctorContract {}
